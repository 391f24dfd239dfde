import { accountOf, type Context } from '../access/actor.ts'
import type { Form } from '../blueprints/blueprints.ts'
import type { DenialKey } from '../access/authorize/authorize.ts'
import { isOverwriting } from '../blueprints/fields/broken.ts'
import type { ShownReferences } from '../blueprints/fields/visible.ts'
import { fail } from '../platform/errors.ts'
import type { ContentLanguage } from '../http/context.ts'
import { isDefault, languageToWrite } from './languages/languages.ts'
import { lockLanguagesBeforeRead } from './languages/queries.ts'
import { listParameter } from '../platform/store/among.ts'
import { type Store, type Tx, useLongConnection } from '../platform/store/store.ts'
import { conflictsOf, findDraft, type Draft, mustNotBeLocked, withChanges } from './drafts/draft-lock.ts'
import { recordOverwrittenDraft } from './drafts/replaced-drafts.ts'
import { deleteChanges, updateChanges } from './drafts/queries.ts'
import { changeContent, createContent, type StoredContent } from './content.ts'
import { differing } from './difference.ts'
import { decode, deleteOldVersions, insertHistory, lockContents, selectToChange, upsertContent } from './queries.ts'
import { draftMustBeCurrent, type Expected, withoutTitle } from './revision.ts'
import { isLarge } from './large.ts'
import { contentMustBeValid } from './rules.ts'
import { merged, type JoinedContent } from './stored.ts'
import { inOneLine } from './title.ts'
import { formIn } from './language-form.ts'
import { followRules, type RuledChange, withTitleOperation } from './with-rules.ts'

/** A page, file, account or the site, as the owner of content. */
export interface Model {
  /** `page://…`, `site://`, `file://…`, `user://…` */
  owner: string
  form: Pick<Form, 'fields' | 'broken'>
  /** Names with a permission of their own, such as `title`; they cannot be changed with the content. */
  reserved: ReadonlySet<string>
  /** Maximum number of versions in each language: `config.history.keep`. */
  keep: number
}

export interface Save {
  language: ContentLanguage
  sent: Readonly<Record<string, unknown>>
  /** Check the blueprint rules. */
  validate: boolean
  /** Revision of the model after the save. */
  revision: number
  action: string
  /** References that the caller can see. */
  shownReferences: ShownReferences
  /** Revisions that the caller accepts, if sent. */
  expected?: Expected
  /** Also publish the draft; sent values override it. */
  publish?: boolean
  /** New title. The permission must have been checked before. */
  title?: string | undefined
  /** Throws unless the actor may publish this title, which the draft or the sent values have. Called with `publish`. */
  checkTitle: ((title: string) => void) | 'noTitle'
  /** The draft revision that the caller has read; 0 if there was no draft, undefined if not sent. */
  draftRevision?: number | undefined
  /** Id of the browser window that sends the request, if known. */
  window?: string | undefined
  /** Save even if another account holds the edit lock. */
  ignoreLock?: boolean
  /** Publish the draft although the published content has changed since: the caller has checked it. */
  ignoreConflicts?: boolean
  /** What was read together with the locked row; it is not read again. */
  loaded?: Loaded
  /** For the rules of extensions; undefined if there are none. */
  ruled?: RuledChange | undefined
}

/** The stored content and whether there is a draft, read and locked inside the transaction in this language. */
export interface Loaded {
  language: ContentLanguage
  own: JoinedContent['own']
  base: JoinedContent['base'] | undefined
  hasDraft: boolean
}

/** Arguments of the update operations of pages, files, accounts and the site, passed on to `saveContent`. */
export type ContentChange = Pick<
  Save,
  'language' | 'sent' | 'shownReferences' | 'title' | 'publish' | 'draftRevision' | 'window'
> & {
  expected: Expected
  /** The error if the permission to update is missing, in place of the usual one. */
  refusal?: DenialKey
}

/** The new content, merged with the default language, and the language that it was written in. */
export interface SavedContent {
  content: StoredContent
  language: ContentLanguage
  /** The names of the changed fields. */
  fields: readonly string[]
}

/**
 * Saves content in one language and adds a version. The caller must have locked the row of the model. Returns the new
 * content, or undefined if nothing has changed: then there is no new version, and the revision must not grow.
 */
export async function saveContent(
  ctx: Context,
  tx: Tx,
  target: Model,
  change: Save,
): Promise<(SavedContent & { before: StoredContent }) | undefined> {
  const language = await languageToWrite(tx, change.language)
  const model = { ...target, form: formIn(target.form, language) }
  const save = { ...change, language }
  const { publish = false, ignoreLock = false } = save
  const loaded = isFor(change.loaded, language) ? change.loaded : undefined
  const currentDraft = loaded?.hasDraft === false ? undefined : await findDraft(tx, model.owner, language)
  if (!ignoreLock) mustNotBeLocked(ctx, currentDraft)
  draftMustBeCurrent(currentDraft?.author.revision ?? 0, save.draftRevision, save.revision - 1)
  const { own, base } = loaded ? storedIn(loaded) : await storedToChange(tx, model, language)
  if (isLarge(own) || isLarge(save.sent)) useLongConnection(tx)
  const before = merge(model, own, base)
  const content = await edited(ctx, model, save, before, currentDraft)
  const action = publish ? 'publish' : save.action
  // Fallback values that are sent back unchanged are not stored as a translation.
  const changed = differing(before, content)
  const fields = base === undefined ? changed : withTakenOver(changed, save.sent, model, own)
  const isNew = fields.length > 0 && (await store(ctx, tx, model, { ...save, action }, content, own))
  if (currentDraft) await clearPublished(ctx, tx, model, save, { before, content, currentDraft })
  return isNew ? { before, content, language, fields } : undefined
}

/** `$overwrite` makes a translation of a fallback value, although it is equal. */
function withTakenOver(changed: string[], sent: Save['sent'], { form }: Model, own: StoredContent): string[] {
  const names = Object.keys(sent)
    .filter(name => isOverwriting(sent[name]))
    .map(name => name.toLowerCase())
    .filter(name => form.fields.get(name)?.translate === true && !Object.hasOwn(own, name))
  return names.length === 0 ? changed : [...new Set([...changed, ...names])]
}

async function edited(
  ctx: Context,
  model: Model,
  save: Save,
  before: StoredContent,
  currentDraft: Draft | undefined,
): Promise<StoredContent> {
  const { publish, ruled } = save
  const checkTitle = publish && save.checkTitle !== 'noTitle' ? save.checkTitle : undefined
  const { sent, title = save.title } = checkTitle ? withoutTitle(save.sent) : save
  const changes = publish ? currentDraft?.changes : undefined
  if (changes && save.expected === undefined && !save.ignoreConflicts)
    conflictsMustBeSeen(conflictsOf(before, changes), save.revision - 1)
  const draft = changes ? withChanges(before, changes) : before
  const options = {
    validate: save.validate && !ruled,
    reserved: model.reserved,
    before,
    shownReferences: save.shownReferences,
  }
  const content = contentMustBeValid(await changeContent(model.form, draft, sent, options), ctx.locale)
  const titled = title === undefined ? content : { ...content, title: inOneLine(title) }
  const newTitle = titled['title'] ?? ''
  if (newTitle !== (before['title'] ?? '')) checkTitle?.(newTitle)
  return ruled ? contentByRules(ctx, model, { ...save, ruled }, before, titled) : titled
}

/** Rules of extensions get values in their form. They may complete them, so the rules of the blueprint come after them. */
async function contentByRules(
  ctx: Context,
  model: Model,
  { ruled, language, validate, shownReferences }: Save & { ruled: RuledChange },
  before: StoredContent,
  content: StoredContent,
): Promise<StoredContent> {
  const amended = followRules(ctx, { ...withTitleOperation(ruled, before, content), model, language, content, before })
  if (!validate) return amended
  const options = { validate, reserved: model.reserved, before, shownReferences }
  return contentMustBeValid(await changeContent(model.form, amended, {}, options), ctx.locale)
}

export interface Restore {
  language: ContentLanguage
  /** The stored content of the version in this language. */
  content: StoredContent
  /** Restore only these fields; all if missing. */
  fields?: readonly string[] | undefined
  /** The title, too: only if the caller may change it. */
  withTitle: boolean
}

/** Restores all fields but reserved ones. Fields that were added since become empty. */
export async function restoredContent(
  tx: Tx,
  model: Model,
  { language, content, fields, withTitle }: Restore,
  published: StoredContent,
): Promise<StoredContent> {
  const { base } = await storedToChange(tx, model, language)
  const once = merge(model, content, base)
  const stays = (name: string) => model.reserved.has(name) && !(withTitle && name === 'title')
  const names = fields ?? [...new Set([...Object.keys(once), ...Object.keys(published)])]
  const restored = names.filter(name => !stays(name)).map(name => [name, once[name] ?? ''])
  return { ...published, ...Object.fromEntries(restored) }
}

/**
 * For drafts in several languages that are published one after the other: throws if one of them conflicts with the content
 * as it is before. Afterwards, values of the default language that a translation has taken over are changed.
 */
export async function draftsMustNotConflict(
  tx: Tx,
  model: Model,
  languages: readonly ContentLanguage[],
  revision: number,
): Promise<void> {
  for (const one of languages) {
    const language = await languageToWrite(tx, one)
    const draft = await findDraft(tx, model.owner, language)
    if (draft) conflictsMustBeSeen(conflictsOf(await contentToChange(tx, model, language), draft.changes), revision)
  }
}

/** Publishing a draft with conflicts fails unless the caller sends the revision that they have seen. */
function conflictsMustBeSeen(fields: string[], revision: number): void {
  if (fields.length === 0) return
  throw fail('content.changed').with({ details: { revision, fields }, headers: { etag: `"${revision}"` } })
}

/**
 * Removes published values from the draft. If the author of the draft saves fields directly, these fields leave the
 * draft, too. Values that are lost to another author or window go to the history.
 */
async function clearPublished(
  ctx: Context,
  tx: Tx,
  { owner }: Model,
  save: Save,
  { before, content, currentDraft }: { before: StoredContent; content: StoredContent; currentDraft: Draft },
) {
  const { language, publish, revision, window } = save
  const { changes, author } = currentDraft
  const sent = new Set(
    author.id === (accountOf(ctx) ?? null) ? Object.keys(save.sent).map(name => name.toLowerCase()) : [],
  )
  const left = Object.entries(changes).filter(([name, { to }]) => to !== (content[name] ?? '') && !sent.has(name))
  const next = publish ? content : { ...content, ...withChanges({}, Object.fromEntries(left)) }
  await recordOverwrittenDraft(
    ctx,
    tx,
    { owner, language, published: before, revision, draft: currentDraft },
    next,
    window,
  )
  if (publish || left.length === 0) await deleteChanges(tx, owner, language.key)
  else if (left.length < Object.keys(changes).length)
    await updateChanges(tx, owner, language.key, Object.fromEntries(left))
}

/** The current content in this language, with fallbacks. Locks the rows. */
export async function contentToChange(tx: Tx, model: Model, language: ContentLanguage): Promise<StoredContent> {
  const { own, base } = await storedToChange(tx, model, language)
  return merge(model, own, base)
}

/**
 * Only for PostgreSQL: locks the content of a model, before it is read together with the row of the model. The lock on
 * that row is not enough, because renames change contents without locking their models.
 */
export async function lockContent(
  { name }: Pick<Store, 'name'>,
  tx: Tx,
  owner: string,
  language: ContentLanguage,
): Promise<void> {
  if (language.code !== undefined) await lockLanguagesBeforeRead(tx, {})
  await lockContents(tx, { owner, languages: listParameter({ name }, [language.key, language.fallback]) })
}

async function storedToChange(tx: Tx, { owner }: Model, language: ContentLanguage) {
  const own = await selectToChange(tx, owner, language.key)
  return { own, base: isDefault(language) ? undefined : await selectToChange(tx, owner, language.fallback) }
}

/** The default language may have changed since the content was read. */
const isFor = (loaded: Loaded | undefined, { key, fallback }: ContentLanguage) =>
  loaded?.language.key === key && loaded.language.fallback === fallback

const contentIn = (text: string | null | undefined) => (text ? decode(text) : {})

function storedIn({ language, own, base }: Loaded) {
  return { own: contentIn(own), base: isDefault(language) ? undefined : contentIn(base) }
}

function merge({ form }: Model, own: StoredContent, base: StoredContent | undefined): StoredContent {
  return base ? merged({ own: JSON.stringify(own), base: JSON.stringify(base) }, form.fields) : own
}

/** Where content is stored, and how the history names the change. */
type Stored = Pick<Save, 'language' | 'revision' | 'action' | 'ignoreLock'>

/**
 * Replaces the content in one language without cleaning or validating it. Untranslatable fields are stored in the
 * default language only. Returns false if nothing has changed.
 */
export async function storeContent(
  ctx: Context,
  tx: Tx,
  model: Model,
  changed: Stored,
  content: StoredContent,
): Promise<boolean> {
  if (changed.action === 'create') {
    await storeFirst(ctx, tx, model, changed, content)
    return true
  }
  const language = await languageToWrite(tx, changed.language)
  if (changed.ignoreLock !== true) mustNotBeLocked(ctx, await findDraft(tx, model.owner, language))
  return store(ctx, tx, model, { ...changed, language }, content, await selectToChange(tx, model.owner, language.key))
}

/** Stores the content of a new model. Returns the key of the language. */
export async function storeFirst(
  ctx: Context,
  tx: Tx,
  model: Model,
  changed: Stored,
  content: StoredContent,
): Promise<string> {
  const now = await languageToWrite(tx, changed.language)
  // Use the current default language if it has changed since the request began.
  const language = isDefault(changed.language) ? inDefault(now) : now
  await store(ctx, tx, model, { ...changed, language }, content, undefined)
  return language.key
}

async function store(
  ctx: Context,
  tx: Tx,
  { owner, form, keep }: Model,
  { language, revision, action }: Stored,
  content: StoredContent,
  /** The stored content; undefined for a new model. */
  own: StoredContent | undefined,
): Promise<boolean> {
  const isShared = (name: string) => form.fields.get(name)?.translate === false
  const currentDraft = isDefault(language)
    ? content
    : Object.fromEntries(Object.entries(content).filter(([name]) => !isShared(name)))
  const fields = differing(own ?? {}, currentDraft)
  if (own && fields.length === 0) return false
  if (isLarge(currentDraft)) useLongConnection(tx)
  await upsertContent(tx, owner, language.key, currentDraft)
  await insertHistory(
    tx,
    { owner, language: language.key, revision, action, user: accountOf(ctx) },
    currentDraft,
    fields,
  )
  // The revision grows with every version, so below this number there is nothing to delete.
  if (revision > keep) await deleteOldVersions(tx, owner, language.key, keep)
  return true
}

/** The first content of a new model, always in the default language. */
export async function firstContent(
  { locale }: Pick<Context, 'locale'>,
  { form, reserved }: Model,
  sent: Readonly<Record<string, unknown>>,
  { validate = false, ...options }: { now?: number; validate?: boolean; shownReferences: ShownReferences },
): Promise<Record<string, string>> {
  return contentMustBeValid(await createContent(form, sent, { validate, reserved, ...options }), locale)
}

/** Redirects writes to the default language. */
const inDefault = (language: ContentLanguage): ContentLanguage => ({ ...language, key: language.fallback })
