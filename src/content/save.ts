import type { By } from '../access/audit/audit.ts'
import type { Form } from '../blueprints/blueprints.ts'
import type { VisibleReferences } from '../blueprints/fields/visible.ts'
import { fail } from '../platform/errors.ts'
import type { ContentLanguage } from '../http/context.ts'
import { isDefault, languageToWrite } from './languages/languages.ts'
import type { Tx } from '../platform/store/store.ts'
import { conflictsOf, findDraft, type Draft, mustNotBeLocked, withChanges } from './changes/draft-lock.ts'
import { keepOverwritten } from './changes/overwritten.ts'
import { deleteChanges, updateChanges } from './changes/queries.ts'
import { changeContent, createContent, type StoredContent } from './content.ts'
import { differing } from './difference.ts'
import { deleteOldVersions, insertHistory, selectToChange, upsertContent } from './queries.ts'
import { draftMustBeCurrent, type Expected } from './revision.ts'
import { contentMustFit } from './rules.ts'
import { merged } from './stored.ts'
import { formIn } from './language-form.ts'

/** Something that has content: a page, the site, a file, an account. */
export interface Model {
  /** `page://…`, `site://`, `file://…`, `user://…` */
  owner: string
  form: Pick<Form, 'fields' | 'broken'>
  /** Names that are not changed with the content, as they have their own permission. */
  reserved: ReadonlySet<string>
  /** How many versions of it are kept in each language: `config.history.keep`. */
  keep: number
}

export interface Save {
  language: ContentLanguage
  sent: Readonly<Record<string, unknown>>
  /** Whether the rules of the blueprint are asked. */
  validate: boolean
  /** What the thing will be at after this. */
  revision: number
  action: string
  by: By
  /** In which language problems are told. */
  readBy: string
  /** What whoever sends this is shown of the things that fields refer to; without it, all. */
  visible?: VisibleReferences | undefined
  /** The state of the thing that whoever sends this has seen, if they say. */
  expected?: Expected
  /** Together with what is sent: what was written before and not published. */
  publish?: boolean
  /** Together with what is sent: another title. Whoever asks for this may change it. */
  title?: string | undefined
  /** The revision of the draft that whoever sends this has seen; 0 for none, undefined if they do not say. */
  draft?: number | undefined
  /** The window of the browser it is sent from, if it is known. */
  window?: string | undefined
  /** Somebody else may be at work on it. */
  ignoreLock?: boolean
}

/** What a noun's own update takes, to be handed on to `saveContent` as it is. */
export type ContentChange = Pick<
  Save,
  'language' | 'sent' | 'title' | 'by' | 'readBy' | 'publish' | 'draft' | 'window'
> & {
  expected: Expected
  visible: VisibleReferences | undefined
}

/**
 * What is sent takes its place in one language; all of it is kept in the history. The row of the thing is held by who calls
 * this. Answers with what is read from now on, or with nothing if all of it was there already: then there is no new version,
 * and the revision stays what it is.
 */
export async function saveContent(tx: Tx, thing: Model, given: Save): Promise<StoredContent | undefined> {
  const language = await languageToWrite(tx, given.language)
  const model = { ...thing, form: formIn(thing.form, language) }
  const save = { ...given, language }
  const { publish = false, ignoreLock = false } = save
  const kept = await findDraft(tx, model.owner, language)
  if (!ignoreLock) mustNotBeLocked(kept, save.by)
  draftMustBeCurrent(kept?.author.revision ?? 0, save.draft, save.revision - 1)
  const { own, base } = await storedToChange(tx, model, language)
  const before = merge(model, own, base)
  const content = edited(model, save, before, kept)
  const action = publish ? 'publish' : save.action
  // What is sent back as it was read is no translation of its own.
  const isSame = differing(before, content).length === 0
  const isNew = !isSame && (await store(tx, model, { ...save, action }, content, own))
  if (kept) await clearPublished(tx, model, save, { before, content, kept })
  return isNew ? content : undefined
}

function edited(model: Model, save: Save, before: StoredContent, kept: Draft | undefined): StoredContent {
  const { sent, validate, readBy, publish } = save
  const changes = (publish && kept?.changes) || {}
  if (save.expected === undefined) mustBeSeen(conflictsOf(before, changes), save.revision - 1)
  const options = { validate, reserved: model.reserved, before, visible: save.visible }
  const content = contentMustFit(changeContent(model.form, withChanges(before, changes), sent, options), readBy)
  return save.title === undefined ? content : { ...content, title: save.title }
}

export interface Restore {
  language: ContentLanguage
  /** All that was stored in this language once. */
  content: StoredContent
  /** Only these come back; all of them without it. */
  fields?: readonly string[] | undefined
  titled: boolean
}

/** What is not changed with the content stays as it is now; all else comes back, and what is new since becomes empty. */
export async function restoredContent(
  tx: Tx,
  model: Model,
  { language, content, fields, titled }: Restore,
  published: StoredContent,
): Promise<StoredContent> {
  const { base } = await storedToChange(tx, model, language)
  const once = merge(model, content, base)
  const stays = (name: string) => model.reserved.has(name) && !(titled && name === 'title')
  const names = fields ?? [...new Set([...Object.keys(once), ...Object.keys(published)])]
  const restored = names.filter(name => !stays(name)).map(name => [name, once[name] ?? ''])
  return { ...published, ...Object.fromEntries(restored) }
}

/** What others have published in the meantime is not overwritten by somebody who does not say that they have seen it. */
function mustBeSeen(fields: string[], revision: number): void {
  if (fields.length === 0) return
  throw fail('content.changed').with({ details: { revision, fields }, headers: { etag: `"${revision}"` } })
}

/** What is published is no longer a change. What an author sends past their own changes takes the place of them. */
async function clearPublished(
  tx: Tx,
  { owner }: Model,
  save: Save,
  { before, content, kept }: { before: StoredContent; content: StoredContent; kept: Draft },
) {
  const { language, publish, by, revision, window } = save
  const { changes, author } = kept
  const sent = new Set(author.id === (by.actor ?? null) ? Object.keys(save.sent).map(name => name.toLowerCase()) : [])
  const left = Object.entries(changes).filter(([name, { to }]) => to !== (content[name] ?? '') && !sent.has(name))
  const next = publish ? content : { ...content, ...withChanges({}, Object.fromEntries(left)) }
  await keepOverwritten(tx, { owner, language, published: before, revision, kept }, next, { by, window })
  if (publish || left.length === 0) await deleteChanges(tx, owner, language.key)
  else if (left.length < Object.keys(changes).length)
    await updateChanges(tx, owner, language.key, Object.fromEntries(left))
}

/** As it is read now in this language. */
export async function contentToChange(tx: Tx, model: Model, language: ContentLanguage): Promise<StoredContent> {
  const { own, base } = await storedToChange(tx, model, language)
  return merge(model, own, base)
}

async function storedToChange(tx: Tx, { owner }: Model, language: ContentLanguage) {
  const own = await selectToChange(tx, owner, language.key)
  return { own, base: isDefault(language) ? undefined : await selectToChange(tx, owner, language.fallback) }
}

function merge({ form }: Model, own: StoredContent, base: StoredContent | undefined): StoredContent {
  return base ? merged({ own: JSON.stringify(own), base: JSON.stringify(base) }, form.fields) : own
}

/**
 * All of the content in one language, as it is; what is the same in all languages is kept with the default one alone. False
 * if nothing is different.
 */
export async function storeContent(
  tx: Tx,
  model: Model,
  given: Pick<Save, 'language' | 'revision' | 'action' | 'by'>,
  content: StoredContent,
): Promise<boolean> {
  if (given.action === 'create') {
    await storeFirst(tx, model, given, content)
    return true
  }
  const language = await languageToWrite(tx, given.language)
  mustNotBeLocked(await findDraft(tx, model.owner, language), given.by)
  return store(tx, model, { ...given, language }, content, await selectToChange(tx, model.owner, language.key))
}

/** All of the content of something new. Answers with what the language is stored under. */
export async function storeFirst(
  tx: Tx,
  model: Model,
  given: Pick<Save, 'language' | 'revision' | 'action' | 'by'>,
  content: StoredContent,
): Promise<string> {
  const now = await languageToWrite(tx, given.language)
  // In the default language, also if that has just become another one.
  const language = isDefault(given.language) ? inDefault(now) : now
  await store(tx, model, { ...given, language }, content, undefined)
  return language.key
}

async function store(
  tx: Tx,
  { owner, form, keep }: Model,
  { language, revision, action, by }: Pick<Save, 'language' | 'revision' | 'action' | 'by'>,
  content: StoredContent,
  /** What is stored now; undefined if the thing is new. */
  own: StoredContent | undefined,
): Promise<boolean> {
  const isShared = (name: string) => form.fields.get(name)?.translate === false
  const kept = isDefault(language)
    ? content
    : Object.fromEntries(Object.entries(content).filter(([name]) => !isShared(name)))
  const fields = differing(own ?? {}, kept)
  if (own && fields.length === 0) return false
  await upsertContent(tx, owner, language.key, kept)
  await insertHistory(tx, { owner, language: language.key, revision, action, user: by.actor }, kept, fields)
  // There are never more versions than changes.
  if (revision > keep) await deleteOldVersions(tx, owner, language.key, keep)
  return true
}

/** The first content of a new thing, always in the default language. */
export function firstContent(
  { form, reserved }: Model,
  sent: Readonly<Record<string, unknown>>,
  {
    readBy,
    validate = false,
    ...options
  }: { now?: number; readBy: string; validate?: boolean; visible?: VisibleReferences | undefined },
): Record<string, string> {
  return contentMustFit(createContent(form, sent, { validate, reserved, ...options }), readBy)
}

/** The default language as a place to write to. */
const inDefault = (language: ContentLanguage): ContentLanguage => ({ ...language, key: language.fallback })
