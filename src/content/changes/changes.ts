import { accountOf, type Context } from '../../access/actor.ts'
import type { DenialKey } from '../../access/authorize/authorize.ts'
import type { ShownReferences } from '../../blueprints/fields/visible.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { isDefault, languageToWrite } from '../languages/languages.ts'
import { useLongConnection, type Tx } from '../../platform/store/store.ts'
import { changeContent, type StoredContent } from '../content.ts'
import { draftMustBeCurrent, type Expected, mustBeCurrent, withoutTitle } from '../revision.ts'
import { contentMustBeValid, type Problems, problemsOf } from '../rules.ts'
import { contentToChange, type Model, restoredContent } from '../save.ts'
import { draftTitle, titleProblems } from '../title.ts'
import type { LockedModel, Versioned } from '../versioned.ts'
import { findDraft, type Draft, lockOf, lockRefusal, mustNotBeLocked, withChanges } from '../drafts/draft-lock.ts'
import { findTakenDraft, type TakenDraft, updateTakenDraft } from '../drafts/taken-draft.ts'
import { recordReplacedDraft, recordOverwrittenDraft } from '../drafts/replaced-drafts.ts'
import {
  type DraftChanges,
  deleteChanges,
  updateChangesAuthor,
  updateChanges,
  upsertChanges,
} from '../drafts/queries.ts'
import { formIn } from '../language-form.ts'
import { isLarge } from '../large.ts'
import { addRuleProblems } from '../with-rules.ts'

export interface Edit {
  /** A function if it is known only after the row is locked. */
  language: ContentLanguage | ((tx: Tx) => Promise<ContentLanguage>)
  expected: Expected
  /** The draft revision that the caller has read; 0 if there was no draft, undefined if not sent. */
  draftRevision: number | undefined
  /** Id of the browser window that sends the request, if sent. */
  window: string | undefined
  /** The error if the permission to update is missing; undefined for the usual one. */
  refusal: DenialKey | undefined
}

/**
 * Saves a draft over the previous one; published content stays. Values must have the form of their field type. Broken
 * blueprint rules are only reported, because a draft may be unfinished. Values equal to the published ones are dropped.
 *
 * If another account has just taken over the draft from the caller, the last words of the caller are saved, too, and
 * the refusal tells where (`saved`): in the draft if it has not changed since, otherwise in the history.
 */
export async function saveDraft(
  ctx: Context,
  target: Versioned,
  edit: Edit & { sent: Readonly<Record<string, unknown>>; shownReferences: ShownReferences },
): Promise<{ revision: number; draftRevision: number; errors: Problems }> {
  const sent = target.contentIn?.(edit.sent) ?? edit.sent
  const work = async (tx: Tx, held: LockedDraft) => {
    const { model, language, currentDraft, published, replace, canChangeTitle, taken } = held
    if (isLarge(sent)) useLongConnection(tx)
    const before = currentDraft?.changes ?? {}
    const options = { validate: false, reserved: model.reserved, shownReferences: edit.shownReferences }
    // Without the permission the title is a reserved name, like others.
    const { sent: fields, title } = canChangeTitle ? withoutTitle(sent) : { sent }
    const changed = async (old: StoredContent) => {
      const content = contentMustBeValid(
        await changeContent(formIn(model.form, language), old, fields, options),
        ctx.locale,
      )
      return title === undefined ? content : { ...content, title: draftTitle(title, ctx.locale) }
    }
    const changesOf = async () =>
      changesBetween(
        published,
        await changed(withChanges(published, before)),
        before,
        edit.expected === undefined ? {} : sent,
      )
    if (!taken) return { model, language, published, ...(await replace(await changesOf())) }
    await updateTakenDraft(tx, taken, await changed(taken.content))
    // Unchanged since the author was interrupted: their last words complete it.
    const isUnchanged = edit.draftRevision === taken.draft.author.revision
    return { taken, draftRevision: isUnchanged ? await held.complete(await changesOf()) : undefined }
  }
  const { revision, done } = await withDraft(ctx, target, edit, work, { findTaken: true })
  if ('taken' in done) {
    const { taken, draftRevision } = done
    const saved = draftRevision === undefined ? { saved: 'history' } : { saved: 'draft', draftRevision }
    throw lockRefusal(taken.lock, taken.draft.author, saved)
  }
  // After the transaction: validation may be slow, and must not extend the row locks.
  const { model, language, content, published, draftRevision } = done
  const problems = {
    ...titleProblems(published, content, ctx.locale),
    ...(await problemsOf(model.form, content, ctx.locale, published)),
  }
  const subject = { ...target.ruled(), model, language, content, before: published }
  return { revision, draftRevision, errors: await addRuleProblems(ctx, problems, subject) }
}

/** A version of the history, as far as it is needed to restore it. */
interface RestoredVersion {
  version: { kind: string; fields: string }
  language: ContentLanguage
  content: StoredContent
}

/** Makes a version or an overwritten draft the current draft. Does not publish. */
export async function restoreDraft(
  ctx: Context,
  target: Versioned,
  edit: Omit<Edit, 'language'> & {
    /** Called after the row is locked: callers without the permission do not learn which versions exist. */
    findVersion: (tx: Tx) => Promise<RestoredVersion>
  },
): Promise<number> {
  let found: RestoredVersion
  const language = async (tx: Tx) => (found = await edit.findVersion(tx)).language
  const { revision } = await withDraft(ctx, target, { ...edit, language }, async (tx, held) => {
    const { model, published, replace, canChangeTitle } = held
    const { version, content } = found
    const restore = {
      language: held.language,
      content,
      fields: version.kind === 'draft' ? (JSON.parse(version.fields) as string[]) : undefined,
      withTitle: canChangeTitle,
    }
    await replace(changesBetween(published, await restoredContent(tx, model, restore, published), {}, {}))
  })
  return revision
}

/**
 * `from` is the published value when the field was first edited; it detects conflicts with later publications. If the
 * caller has seen the current published value (`seenFields`), `from` moves to that value.
 */
function changesBetween(
  published: Readonly<Record<string, string>>,
  next: Readonly<Record<string, string>>,
  currentDraft: DraftChanges,
  seenFields: Readonly<Record<string, unknown>>,
): DraftChanges {
  const isSeen = new Set(Object.keys(seenFields).map(name => name.toLowerCase()))
  const entries = Object.entries(next).flatMap(([name, to]) => {
    const text = published[name] ?? ''
    if (to === text) return []
    return [[name, { from: isSeen.has(name) ? text : (currentDraft[name]?.from ?? text), to }]]
  })
  return Object.fromEntries(entries) as DraftChanges
}

/** Drops untranslatable fields: they are changed in the default language only. */
function translatable({ form }: Model, changes: DraftChanges): DraftChanges {
  return Object.fromEntries(Object.entries(changes).filter(([name]) => form.fields.get(name)?.translate !== false))
}

/** Returns the revision of the model, not of the draft. */
export async function discardChanges(ctx: Context, target: Versioned, edit: Edit): Promise<number> {
  const { revision } = await withDraft(ctx, target, edit, async (tx, { language, currentDraft, recordAs }) => {
    if (currentDraft) await recordAs('discarded', currentDraft)
    await deleteChanges(tx, target.model.owner, language.key)
  })
  return revision
}

/** Transfers the draft and its edit lock from another author to the caller. */
export async function takeOver(ctx: Context, target: Versioned, edit: Edit): Promise<number> {
  const work = async (tx: Tx, { language, currentDraft, recordAs }: LockedDraft) => {
    if (currentDraft && currentDraft.author.id !== accountOf(ctx)) await recordAs('taken', currentDraft)
    await updateChangesAuthor(tx, target.model.owner, language.key, { user: accountOf(ctx), window: edit.window })
  }
  const { revision } = await withDraft(ctx, target, edit, work, { ignoreLock: true })
  return revision
}

interface LockedDraft extends LockedModel {
  language: ContentLanguage
  currentDraft: Draft | undefined
  published: StoredContent
  /** Replaces the changes of the draft. Without any changes the draft is deleted. */
  replace: (changes: DraftChanges) => Promise<{ content: StoredContent; draftRevision: number }>
  recordAs: (action: 'discarded' | 'taken', currentDraft: Draft) => Promise<void>
  /** The draft that another account has taken over from the caller. Only with `findTaken`. */
  taken: TakenDraft | undefined
  /** Replaces the changes of a draft that belongs to another account, unless none remain. Returns its revision. */
  complete: (changes: DraftChanges) => Promise<number | undefined>
}

/**
 * Locks the row of the model, so that concurrent writes are serialised, and checks both revisions and the edit lock.
 */
function withDraft<Done>(
  ctx: Context,
  target: Versioned,
  edit: Edit,
  work: (tx: Tx, held: LockedDraft) => Promise<Done>,
  { ignoreLock = false, findTaken = false } = {},
): Promise<{ revision: number; done: Done }> {
  const { window } = edit
  return ctx.app.store.write(async tx => {
    const locked = await target.lock(tx, edit.refusal)
    const { revision, model } = locked
    const { owner } = model
    mustBeCurrent(revision, edit.expected)
    const { language: asked } = edit
    const language = await languageToWrite(tx, typeof asked === 'function' ? await asked(tx) : asked)
    const currentDraft = await findDraft(tx, owner, language)
    const lock = findTaken && currentDraft ? lockOf(currentDraft.author, accountOf(ctx)) : undefined
    const taken =
      lock && currentDraft && (await findTakenDraft(tx, { owner, language, user: accountOf(ctx), lock, currentDraft }))
    if (!ignoreLock && !taken) mustNotBeLocked(ctx, currentDraft)
    if (!taken) draftMustBeCurrent(currentDraft?.author.revision ?? 0, edit.draftRevision, revision)
    const published = await contentToChange(tx, model, language)
    const allowed = (changes: DraftChanges) => (isDefault(language) ? changes : translatable(model, changes))
    const complete: LockedDraft['complete'] = async next => {
      const changes = allowed(next)
      return Object.keys(changes).length > 0 ? updateChanges(tx, owner, language.key, changes) : undefined
    }
    const replace: LockedDraft['replace'] = async next => {
      const changes = allowed(next)
      const content = withChanges(published, changes)
      if (currentDraft)
        await recordOverwrittenDraft(
          ctx,
          tx,
          { owner, language, published, revision, draft: currentDraft },
          content,
          window,
        )
      if (Object.keys(changes).length > 0) {
        const writer = { user: accountOf(ctx), window }
        return { content, draftRevision: await upsertChanges(tx, owner, language.key, changes, writer) }
      }
      await deleteChanges(tx, owner, language.key)
      return { content, draftRevision: 0 }
    }
    const recordAs: LockedDraft['recordAs'] = (action, draft) =>
      recordReplacedDraft(tx, { owner, language, published, revision, draft, action })
    const held = { ...locked, language, currentDraft, published, replace, recordAs, taken, complete }
    return { revision, done: await work(tx, held) }
  })
}
