import type { App } from '../../app.ts'
import type { By } from '../../audit/audit.ts'
import type { VisibleReferences } from '../../blueprints/fields/visible.ts'
import type { ContentLanguage } from '../../http/look.ts'
import { isDefault, languageToWrite } from '../../languages/languages.ts'
import type { Tx } from '../../store/store.ts'
import { changeContent } from '../content.ts'
import { type Expected, mustBeCurrent } from '../revision.ts'
import { contentMustFit, type Problems, problemsOf } from '../rules.ts'
import { contentToChange, type Model } from '../save.ts'
import type { Versioned } from '../versioned.ts'
import { findKept, mustNotBeLocked, withChanges } from './kept.ts'
import { type Changes, deleteChanges, takeChanges, upsertChanges } from './queries.ts'

export interface Edit {
  language: ContentLanguage
  by: By
  expected: Expected
}

/**
 * What is sent is kept beside what is published, over what was kept before. Its form is asked, not the rules of the blueprint:
 * it is not finished yet. Which of those it breaks is told. What is as published is no change.
 */
export async function keepChanges(
  app: App,
  target: Versioned,
  edit: Edit & { sent: Readonly<Record<string, unknown>>; readBy: string; visible: VisibleReferences | undefined },
): Promise<{ revision: number; errors: Problems }> {
  const { model } = target
  const { owner, form, reserved } = model
  const sent = target.contentIn?.(edit.sent) ?? edit.sent
  const { revision, done } = await withHeld(app, target, edit, async (tx, language) => {
    const kept = await keptByMe(tx, model, language, edit.by)
    const published = await contentToChange(tx, model, language)
    const options = { validate: false, reserved, visible: edit.visible }
    const next = contentMustFit(changeContent(form, withChanges(published, kept), sent, options), edit.readBy)
    const all = changesBetween(published, next, kept, edit.expected === undefined ? {} : sent)
    const changes = isDefault(language) ? all : translatable(model, all)
    if (Object.keys(changes).length === 0) await deleteChanges(tx, owner, language.key)
    else await upsertChanges(tx, owner, language.key, changes, edit.by.actor)
    return { published, content: withChanges(published, changes) }
  })
  // Nobody waits for this but who is told.
  return { revision, errors: problemsOf(form, done.content, edit.readBy, done.published) }
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
  const { revision } = await withHeld(app, target, edit, async (tx, language) => {
    await keptByMe(tx, target.model, language, edit.by)
    await deleteChanges(tx, target.model.owner, language.key)
  })
  return revision
}

/** The caller goes on with what somebody else has begun, and has it to themselves from now on. */
export async function takeOver(app: App, target: Versioned, edit: Edit): Promise<number> {
  const { revision } = await withHeld(app, target, edit, (tx, language) =>
    takeChanges(tx, target.model.owner, language.key, edit.by.actor),
  )
  return revision
}

/** The thing is held, so that of two who write at once the second sees what the first has written. */
function withHeld<Done>(
  app: App,
  target: Versioned,
  { language, expected }: Edit,
  work: (tx: Tx, language: ContentLanguage) => Promise<Done>,
): Promise<{ revision: number; done: Done }> {
  return app.store.write(async tx => {
    const revision = await target.hold(tx)
    mustBeCurrent(revision, expected)
    return { revision, done: await work(tx, await languageToWrite(tx, language)) }
  })
}

async function keptByMe(tx: Tx, { owner }: Model, language: ContentLanguage, by: By): Promise<Changes> {
  const kept = await findKept(tx, owner, language)
  mustNotBeLocked(kept, by)
  return kept?.changes ?? {}
}
