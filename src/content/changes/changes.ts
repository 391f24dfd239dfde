import type { App } from '../../app.ts'
import type { By } from '../../access/audit/audit.ts'
import type { VisibleReferences } from '../../blueprints/fields/visible.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { isDefault, languageToWrite } from '../languages/languages.ts'
import type { Tx } from '../../platform/store/store.ts'
import { changeContent, type StoredContent } from '../content.ts'
import { draftMustBeCurrent, type Expected, mustBeCurrent } from '../revision.ts'
import { contentMustFit, type Problems, problemsOf } from '../rules.ts'
import { contentToChange, type Model, restoredContent } from '../save.ts'
import type { Versioned } from '../versioned.ts'
import { findDraft, type Draft, mustNotBeLocked, withChanges } from './draft-lock.ts'
import { keepDraft, keepOverwritten } from './overwritten.ts'
import { type Changes, deleteChanges, takeChanges, upsertChanges } from './queries.ts'
import { formIn } from '../language-form.ts'

export interface Edit {
  language: ContentLanguage
  by: By
  expected: Expected
  /** The revision of the draft that the caller has seen; 0 for none, undefined if they do not say. */
  draft: number | undefined
  /** The window of the browser it is sent from, if the caller says so. */
  window: string | undefined
}

/**
 * What is sent is kept beside what is published, over what was kept before. Its form is asked, not the rules of the blueprint:
 * it is not finished yet. Which of those it breaks is told. What is as published is no change.
 */
export async function keepChanges(
  app: App,
  target: Versioned,
  edit: Edit & { sent: Readonly<Record<string, unknown>>; readBy: string; visible: VisibleReferences | undefined },
): Promise<{ revision: number; draftRevision: number; errors: Problems }> {
  const { form, reserved } = target.model
  const sent = target.contentIn?.(edit.sent) ?? edit.sent
  const { revision, done } = await withDraft(app, target, edit, async (_, { kept, published, replace }) => {
    const before = kept?.changes ?? {}
    const options = { validate: false, reserved, visible: edit.visible }
    const next = contentMustFit(
      changeContent(formIn(form, edit.language), withChanges(published, before), sent, options),
      edit.readBy,
    )
    const changes = changesBetween(published, next, before, edit.expected === undefined ? {} : sent)
    return { published, ...(await replace(changes)) }
  })
  // Nobody waits for this but who is told.
  const errors = problemsOf(form, done.content, edit.readBy, done.published)
  return { revision, draftRevision: done.draftRevision, errors }
}

/** A version, or an overwritten draft, becomes the draft. Nothing is published by it. */
export async function restoreDraft(
  app: App,
  target: Versioned,
  edit: Edit & {
    content: StoredContent
    /** Only these, of an overwritten draft. */
    fields?: readonly string[] | undefined
    /** The title, too: the caller may change it. */
    titled: boolean
  },
): Promise<number> {
  const { model } = target
  const { revision } = await withDraft(app, target, edit, async (tx, { language, published, replace }) => {
    const next = await restoredContent(tx, model, { ...edit, language }, published)
    await replace(changesBetween(published, next, {}, {}))
  })
  return revision
}

/** What was written over stays known from the first word on, unless whoever writes has seen what is there now. */
function changesBetween(
  published: Readonly<Record<string, string>>,
  next: Readonly<Record<string, string>>,
  kept: Changes,
  seen: Readonly<Record<string, unknown>>,
): Changes {
  const isSeen = new Set(Object.keys(seen).map(name => name.toLowerCase()))
  const entries = Object.entries(next).flatMap(([name, to]) => {
    const text = published[name] ?? ''
    if (to === text) return []
    return [[name, { from: isSeen.has(name) ? text : (kept[name]?.from ?? text), to }]]
  })
  return Object.fromEntries(entries) as Changes
}

/** What is the same in all languages is changed in the default one. */
function translatable({ form }: Model, changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([name]) => form.fields.get(name)?.translate !== false))
}

/** Answers with the revision of the thing. */
export async function discardChanges(app: App, target: Versioned, edit: Edit): Promise<number> {
  const { revision } = await withDraft(app, target, edit, async (tx, { language, kept, keepAs }) => {
    if (kept) await keepAs('discarded', kept)
    await deleteChanges(tx, target.model.owner, language.key)
  })
  return revision
}

/** The caller goes on with what somebody else has begun, and has it to themselves from now on. */
export async function takeOver(app: App, target: Versioned, edit: Edit): Promise<number> {
  const work = async (tx: Tx, { language, kept, keepAs }: Held) => {
    if (kept && kept.author.id !== edit.by.actor) await keepAs('taken', kept)
    await takeChanges(tx, target.model.owner, language.key, { user: edit.by.actor, window: edit.window })
  }
  const { revision } = await withDraft(app, target, edit, work, { ignoreLock: true })
  return revision
}

interface Held {
  language: ContentLanguage
  kept: Draft | undefined
  published: StoredContent
  /** Other changes take the place of those that are kept; none delete the draft. */
  replace: (changes: Changes) => Promise<{ content: StoredContent; draftRevision: number }>
  keepAs: (action: 'discarded' | 'taken', kept: Draft) => Promise<void>
}

/** The thing is held, so that of two who write at once the second sees what the first has written. */
function withDraft<Done>(
  app: App,
  target: Versioned,
  edit: Edit,
  work: (tx: Tx, held: Held) => Promise<Done>,
  { ignoreLock = false } = {},
): Promise<{ revision: number; done: Done }> {
  const { model } = target
  const { owner } = model
  const { by, window } = edit
  return app.store.write(async tx => {
    const revision = await target.lock(tx)
    mustBeCurrent(revision, edit.expected)
    const language = await languageToWrite(tx, edit.language)
    const kept = await findDraft(tx, owner, language)
    if (!ignoreLock) mustNotBeLocked(kept, by)
    draftMustBeCurrent(kept?.author.revision ?? 0, edit.draft, revision)
    const published = await contentToChange(tx, model, language)
    const replace: Held['replace'] = async given => {
      const changes = isDefault(language) ? given : translatable(model, given)
      const content = withChanges(published, changes)
      if (kept) await keepOverwritten(tx, { owner, language, published, revision, kept }, content, { by, window })
      if (Object.keys(changes).length > 0) {
        const writer = { user: by.actor, window }
        return { content, draftRevision: await upsertChanges(tx, owner, language.key, changes, writer) }
      }
      await deleteChanges(tx, owner, language.key)
      return { content, draftRevision: 0 }
    }
    const keepAs: Held['keepAs'] = (action, draft) =>
      keepDraft(tx, { owner, language, published, revision, kept: draft, action })
    return { revision, done: await work(tx, { language, kept, published, replace, keepAs }) }
  })
}
