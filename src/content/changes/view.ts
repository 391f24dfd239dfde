import { isoTime } from '../../platform/lib/time.ts'
import { z } from 'zod'
import { answer } from '../../http/answer.ts'
import type { RequestContext } from '../../http/context.ts'
import { contentLanguages } from '../languages/languages.ts'
import { readContent, type StoredContent } from '../content.ts'
import { personSchema, personSeen } from '../person.ts'
import { problemsOf, problemsSchema } from '../rules.ts'
import type { Model } from '../save.ts'
import { readStored } from '../stored.ts'
import { conflictsOf, lockOf, withChanges } from './draft-lock.ts'
import { decodeChanges, readChanges } from './queries.ts'
import { formIn } from '../language-form.ts'

export const changesSchema = z.object({
  /** All values, as they will be once they are published. */
  content: z.record(z.string(), z.unknown()),
  /** The names of those that are changed. */
  fields: z.array(z.string()),
  /** Of these, what has been published with another value in the meantime. */
  conflicts: z.array(z.string()),
  /** What those were when they were written over. */
  base: z.record(z.string(), z.unknown()),
  /** The rules that the content breaks: for these it would not be published. */
  errors: problemsSchema,
  user: personSchema.nullable(),
  modified: z.string().nullable(),
  /** Of the draft, to be sent back as `draftRevision`; 0 without one. */
  draftRevision: z.int(),
  /** Somebody else is at work: nobody but them changes the content now. */
  isLocked: z.boolean(),
  /** Drafts in other languages: these are published on their own. */
  others: z.array(
    z.object({
      language: z.string(),
      fields: z.array(z.string()),
      user: personSchema.nullable(),
      modified: z.string(),
    }),
  ),
})

const keptSchema = z.object({
  status: z.literal('ok'),
  /** Of what is published: what is kept beside it changes nothing of it. */
  revision: z.int(),
  /** Of what is kept. */
  draftRevision: z.int(),
  errors: changesSchema.shape.errors,
})

/** That it is kept, and what is wrong with it by now: nobody has to publish it to learn that. */
export const keptAnswer = answer<Omit<z.output<typeof keptSchema>, 'status'>, typeof keptSchema>(keptSchema, kept => ({
  status: 'ok',
  ...kept,
}))

export async function showChanges(
  ctx: RequestContext,
  { owner, form }: Model,
): Promise<z.output<typeof changesSchema>> {
  const { app, caller } = ctx
  const language = await ctx.language()
  const [published, rows, languages] = await Promise.all([
    readStored(app.store, owner, language, form.fields),
    readChanges(app.store, owner),
    contentLanguages(app),
  ])
  const row = rows.find(({ language: key }) => key === language.key)
  const changes = row ? decodeChanges(row.data) : {}
  const content = withChanges(published, changes)
  const conflicts = conflictsOf(published, changes)
  const before = { ...published, ...Object.fromEntries(conflicts.map(name => [name, changes[name]!.from])) }
  const values = (stored: StoredContent) =>
    ctx.pick(ctx, form.fields, readContent(formIn(form, language), stored), owner)
  const base = conflicts.length > 0 ? await values(before) : {}
  return {
    content: await values(content),
    fields: Object.keys(changes),
    conflicts,
    base: Object.fromEntries(conflicts.map(name => [name, base[name]])),
    errors: problemsOf(form, content, caller.user.language, published),
    user: row ? personSeen(ctx, row) : null,
    modified: row ? isoTime(row.modified_at) : null,
    draftRevision: row?.revision ?? 0,
    isLocked: row !== undefined && lockOf(row, caller.user.id) !== undefined,
    others: rows.flatMap(other => {
      const { code } = languages.find(({ key }) => key === other.language) ?? {}
      if (other === row || code === undefined) return []
      const fields = Object.keys(decodeChanges(other.data))
      return [{ language: code, fields, user: personSeen(ctx, other), modified: isoTime(other.modified_at) }]
    }),
  }
}
