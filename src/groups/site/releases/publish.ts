import type { Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { callerFor } from '../../../access/authorize/callers.ts'
import { isPageActionAllowed } from '../../../access/authorize/pages.ts'
import type { StoredContent } from '../../../content/content.ts'
import { contentLanguages } from '../../../content/languages/languages.ts'
import { mustBeCurrent } from '../../../content/revision.ts'
import { draftsMustNotConflict, type Model } from '../../../content/save.ts'
import { purgeIfTrashIsOff } from '../../../content/trash/trash.ts'
import type { ContentLanguage, RequestContext } from '../../../http/context.ts'
import { ApiError, type Details, fail } from '../../../platform/errors.ts'
import { RunBefore, type Tx } from '../../../platform/store/store.ts'
import { Message } from '../../../platform/texts.ts'
import type { ReleasesTable } from '../../../platform/store/tables/releases.ts'
import { lockFile, fileModelOf, trashFile, updateContentIn } from '../../files/files.ts'
import { mustBeComplete } from '../../pages/complete.ts'
import { deletePageIn } from '../../pages/delete.ts'
import { pageModelOf } from '../../pages/pages.ts'
import { selectPlanner } from '../../pages/schedule/queries.ts'
import { publishDraft, setStatus } from '../../pages/status.ts'
import { lockPage } from '../../pages/tree/lock.ts'
import { siteModelOf, siteOwner, updateSiteIn } from '../site.ts'
import { fileIn, lockFileItem, lockItems, pageIn } from './lock.ts'
import { encodeProblem } from './problem.ts'
import * as queries from './queries.ts'
import type { ItemRow } from './queries.ts'
import { lockUnpublished, ownerOfRelease } from './releases.ts'
import { visibleItems } from './visible.ts'

/** From this number of items on, SQLite publishes a release in a worker thread, so that readers are not blocked. */
const longFrom = 10

export interface Publication {
  /** The revision of the release that the caller has seen, if it was sent. */
  revision?: number | undefined
  /** Only finds out what would hold the release. */
  isCheck?: boolean
}

/** What has held a release: errors by the owner of the item. */
class Held extends Error {
  readonly problems: ReadonlyMap<string, ApiError>

  constructor(problems: ReadonlyMap<string, ApiError>) {
    super('the release is held')
    this.name = 'Held'
    this.problems = problems
  }
}

/** Ends a transaction that was only a check. */
class Checked extends Error {}

/**
 * Publishes all items in one transaction, with the rights that the actor has now. If one of them is refused, nothing is
 * published: the release is held, and its items say why.
 */
export async function publishRelease(
  ctx: RequestContext,
  id: string,
  { revision, isCheck = false }: Publication = {},
): Promise<void> {
  const { app } = ctx
  const publish = await preparePublication(ctx, id)
  try {
    await app.store.write(async tx => {
      const release = await lockUnpublished(ctx, tx, id)
      mustBeCurrent(release.revision, revision === undefined ? undefined : [revision])
      await publish.run(ctx, tx, release)
      if (isCheck) throw new Checked()
    }, publish.options)
  } catch (error) {
    const problems = error instanceof Checked ? new Map<string, ApiError>() : problemsIn(error)
    if (!problems) throw error
    await app.store.write(tx => storeProblems(ctx, tx, id, problems, { isRecorded: !isCheck }))
    if (isCheck) return
    throw await heldError(ctx, await queries.selectItems(app.store, [id]), problems)
  }
  purgeIfTrashIsOff(app)
}

/** How a release is published, for all attempts of its transaction. */
export async function preparePublication({ app }: Pick<Context, 'app'>, id: string) {
  const languages = await contentLanguages(app)
  const items = await queries.selectItems(app.store, [id])
  // What rules of extensions have refused: they run between two attempts of the transaction.
  const refused = new Map<string, ApiError>()
  return {
    options: { isLong: items.length >= longFrom || items.some(({ action }) => action === 'delete') },
    /** The release must be locked. Throws `Held` if an item is refused. */
    run: (ctx: Context, tx: Tx, release: ReleasesTable) => publishItems(ctx, tx, release, { languages, refused }),
  }
}

export const problemsIn = (error: unknown): ReadonlyMap<string, ApiError> | undefined =>
  error instanceof Held ? error.problems : undefined

interface Run {
  languages: readonly ContentLanguage[]
  refused: Map<string, ApiError>
}

async function publishItems(ctx: Context, tx: Tx, release: ReleasesTable, run: Run): Promise<void> {
  const items = await queries.selectItemsNow(tx, release.id)
  if (items.length === 0) throw fail('release.empty')
  const paths = await lockItems(ctx, tx, items)
  const problems = new Map<string, ApiError>()
  const rules: { owner: string; before: RunBefore }[] = []
  for (const item of inOrder(items, paths)) {
    try {
      const refusal = run.refused.get(item.owner)
      if (refusal) throw refusal
      await publishItem(ctx, tx, release, item, run.languages)
    } catch (error) {
      // The transaction is rolled back in the end, so the others can be tried, too: all problems are named at once.
      if (error instanceof RunBefore) rules.push({ owner: item.owner, before: error })
      else if (error instanceof ApiError && error.key !== 'busy') problems.set(item.owner, error)
      else throw error
    }
  }
  if (rules.length > 0) throw new RunBefore(() => askRules(rules, run.refused))
  if (problems.size > 0) throw new Held(problems)
  await queries.updateRelease(tx, release.id, {
    isPublished: true,
    ...(release.due_at === null && { user_id: auditActor(ctx).actor ?? null }),
  })
  const detail = { name: release.name, items: items.length }
  const subject = ownerOfRelease(release.id)
  await record(tx, { event: 'release.published', subject, ...auditActor(ctx), detail })
}

async function askRules(
  rules: readonly { owner: string; before: RunBefore }[],
  refused: Map<string, ApiError>,
): Promise<void> {
  for (const { owner, before } of rules)
    try {
      await before.work()
    } catch (error) {
      if (!(error instanceof ApiError) || error.key === 'busy') throw error
      refused.set(owner, error)
    }
}

const isDeletion = ({ action }: ItemRow) => Number(action === 'delete')

/**
 * Children before their parents, whose sections may need them; otherwise in the order in which they were added, so that
 * pages are listed in it. Deletions come last, the deepest page first.
 */
function inOrder(items: readonly ItemRow[], paths: ReadonlyMap<string, string>): ItemRow[] {
  const depth = ({ owner }: ItemRow) => paths.get(pageIn(owner) ?? '')?.split('/').length ?? 0
  return items.toSorted((one, other) => isDeletion(one) - isDeletion(other) || depth(other) - depth(one))
}

async function publishItem(
  ctx: Context,
  tx: Tx,
  release: ReleasesTable,
  item: ItemRow,
  languages: readonly ContentLanguage[],
): Promise<void> {
  const uuid = pageIn(item.owner)
  if (item.owner === siteOwner) await publishSite(ctx, tx, release, languages)
  else if (uuid === undefined) await publishFile(ctx, tx, release, item, languages)
  else if (item.action === 'delete') await deleteIfThere(ctx, tx, uuid)
  else await publishPage(ctx, tx, release, { ...item, uuid }, languages)
}

async function deleteIfThere(ctx: Context, tx: Tx, uuid: string): Promise<void> {
  if ((await queries.selectPaths(tx, [uuid])).size === 0) return
  await lockPage(ctx, tx, uuid, ['publish'], undefined)
  await deletePageIn(ctx, tx, { uuid }, { force: true })
}

/** Publishes the drafts of a page and of its files, in every language, and changes its status. */
async function publishPage(
  ctx: Context,
  tx: Tx,
  release: ReleasesTable,
  { uuid, owner, status: newStatus }: ItemRow & { uuid: string },
  languages: readonly ContentLanguage[],
): Promise<void> {
  const { app } = ctx
  const first = await lockPage(ctx, tx, uuid, ['publish'], undefined)
  const status = newStatus ?? first.status
  const drafts = await queries.selectDrafts(tx, owner)
  const draftsOfFiles = await queries.selectDraftsOfFiles(tx, owner)
  await mustBeApproved(ctx, tx, release, first, [...drafts, ...draftsOfFiles])
  const contents: StoredContent[] = []
  const options = await checkDrafts(tx, release, pageModelOf(app, first), drafts, languages)
  for (const language of inLanguages(languages, drafts)) {
    // Reloads the page: the draft before has raised its revision.
    const page = await lockPage(ctx, tx, uuid, ['update', 'publish'], undefined)
    const content = await publishDraft(ctx, tx, page, { status, publish: { ...options, language } })
    if (content) contents.push(content)
  }
  await publishDraftsOfFiles(ctx, tx, release, owner, draftsOfFiles, languages)
  if (status === first.status) return
  // `setStatus` checks the content in the default language.
  if (first.status === 'draft') await mustBeComplete(app, tx, first, contents, ctx.locale)
  await setStatus(ctx, tx, { uuid }, { status, languages: app.extensions.rules && languages })
}

/** `site.update` includes publishing, so drafts that were changed after the scheduling are approved. */
async function publishSite(
  ctx: Context,
  tx: Tx,
  release: ReleasesTable,
  languages: readonly ContentLanguage[],
): Promise<void> {
  const drafts = await queries.selectDrafts(tx, siteOwner)
  const options = await checkDrafts(tx, release, siteModelOf(ctx.app), drafts, languages)
  const change = { ...options, sent: {}, shownReferences: 'all', publish: true, expected: undefined } as const
  for (const language of inLanguages(languages, drafts)) await updateSiteIn(ctx, tx, { ...change, language })
  await publishDraftsOfFiles(ctx, tx, release, siteOwner, await queries.selectDraftsOfFiles(tx, siteOwner), languages)
}

async function publishFile(
  ctx: Context,
  tx: Tx,
  release: ReleasesTable,
  item: ItemRow,
  languages: readonly ContentLanguage[],
): Promise<void> {
  const { owner, action } = item
  const isDeleted = action === 'delete'
  if (isDeleted && (await queries.selectParents(tx, [fileIn(owner) ?? ''])).size === 0) return
  const { file, page } = await lockFileItem(ctx, tx, item, ['publish'])
  if (isDeleted) {
    await trashFile(ctx, tx, file)
    return
  }
  const drafts = await queries.selectDrafts(tx, owner)
  if (page) await mustBeApproved(ctx, tx, release, page, drafts)
  await publishDraftsOfFile(ctx, tx, release, file, drafts, languages)
}

async function publishDraftsOfFiles(
  ctx: Context,
  tx: Tx,
  release: ReleasesTable,
  parent: string,
  drafts: readonly queries.DraftRow[],
  languages: readonly ContentLanguage[],
): Promise<void> {
  for (const [file, own] of Map.groupBy(drafts, draft => draft.owner))
    await publishDraftsOfFile(ctx, tx, release, { uuid: fileIn(file)!, parent }, own, languages)
}

async function publishDraftsOfFile(
  ctx: Context,
  tx: Tx,
  release: ReleasesTable,
  file: { uuid: string; parent: string },
  drafts: readonly queries.DraftRow[],
  languages: readonly ContentLanguage[],
): Promise<void> {
  const row = await lockFile(ctx, tx, file, 'update', {})
  const options = await checkDrafts(tx, release, fileModelOf(ctx.app, row), drafts, languages)
  const change = { ...options, sent: {}, shownReferences: 'all', publish: true, expected: undefined } as const
  for (const language of inLanguages(languages, drafts)) await updateContentIn(ctx, tx, file, { ...change, language })
}

/** The default language comes first: translations take over values of it. */
const inLanguages = (languages: readonly ContentLanguage[], drafts: readonly queries.DraftRow[]) =>
  languages.filter(({ key }) => drafts.some(draft => draft.language === key))

/** A scheduled release ignores edit locks, as schedules of pages do. */
async function checkDrafts(
  tx: Tx,
  release: ReleasesTable,
  model: Model,
  drafts: readonly queries.DraftRow[],
  languages: readonly ContentLanguage[],
): Promise<{ ignoreLock: boolean; ignoreConflicts: boolean }> {
  const several = inLanguages(languages, drafts)
  const ignoreConflicts = several.length > 1
  if (ignoreConflicts) await draftsMustNotConflict(tx, model, several, 0)
  return { ignoreLock: release.due_at !== null, ignoreConflicts }
}

/**
 * A scheduled release was approved as it was then: drafts that were changed later are published only if their authors
 * may publish them. Revisions of drafts are at least the time of the change.
 */
async function mustBeApproved(
  ctx: Context,
  tx: Tx,
  { scheduled_at: time }: ReleasesTable,
  page: { template: string; uuid: string },
  drafts: readonly queries.DraftRow[],
): Promise<void> {
  if (time === null) return
  const later = drafts.filter(({ revision }) => revision > time)
  for (const id of new Set(later.map(draft => draft.user_id))) {
    const actor = id === null ? undefined : callerFor(await selectPlanner(tx, id))
    if (!actor || !isPageActionAllowed({ app: ctx.app, actor }, 'publish', page)) throw fail('release.changed')
  }
}

// ---- held releases

export async function storeProblems(
  ctx: Context,
  tx: Tx,
  id: string,
  problems: ReadonlyMap<string, ApiError>,
  /** A due release is not tried again before it is scheduled anew. */
  { isDue = false, isRecorded = true }: { isDue?: boolean; isRecorded?: boolean },
): Promise<void> {
  const release = await queries.lockRelease(tx, id)
  if (!release || release.published_at !== null) return
  const [first] = [...problems.values()]
  const problem = first?.key ?? 'general'
  const items = new Map([...problems].map(([owner, error]) => [owner, encodeProblem(error)]))
  await queries.updateProblems(tx, id, items, isDue ? problem : undefined)
  const detail = { name: release.name, problem, items: problems.size }
  const subject = ownerOfRelease(id)
  if (isRecorded) await record(tx, { event: 'release.held', subject, ...auditActor(ctx), detail })
}

/** Names at most so many items in the message. */
const maxNamed = 3

/** Names the items that the actor may see. */
async function heldError(
  ctx: RequestContext,
  items: readonly ItemRow[],
  problems: ReadonlyMap<string, ApiError>,
): Promise<ApiError> {
  const refused = items.filter(({ owner }) => problems.has(owner))
  const visible = await visibleItems(ctx, refused)
  const held = refused.filter((_, index) => visible[index])
  const names = held.map(({ title }) => title)
  const title = names.length > maxNamed ? `${names.slice(0, maxNamed).join(', ')}, …` : names.join(', ')
  const details: Details = {}
  for (const { owner, title: label } of held) {
    const { key, data, own } = problems.get(owner)!
    details[owner] = { label, message: { [key]: new Message(`error.${key}`, data, own?.texts) } }
  }
  return fail('release.held', { title: title || '…' }).with({ details })
}
