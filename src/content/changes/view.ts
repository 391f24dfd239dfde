import { isoTime } from '../../lib/time.ts'
import { z } from 'zod'
import { answer } from '../../http/answer.ts'
import type { Look } from '../../http/look.ts'
import { readContent } from '../content.ts'
import { personSchema, personSeen } from '../person.ts'
import { problemsOf, problemsSchema } from '../rules.ts'
import type { Model } from '../save.ts'
import { readStored } from '../stored.ts'
import { conflictsOf, lockOf, withChanges } from './kept.ts'
import { decodeChanges, readChanges } from './queries.ts'

export const changesSchema = z.object({
  /** All values, as they will be once they are published. */
  content: z.record(z.string(), z.unknown()),
  /** The names of those that are changed. */
  fields: z.array(z.string()),
  /** Of these, what has been published with another value in the meantime. */
  conflicts: z.array(z.string()),
  /** The rules that the content breaks: for these it would not be published. */
  errors: problemsSchema,
  user: personSchema.nullable(),
  modified: z.string().nullable(),
  /** Somebody else is at work: nobody but them changes the content now. */
  isLocked: z.boolean(),
})

const keptSchema = z.object({
  status: z.literal('ok'),
  /** Of what is published: what is kept beside it changes nothing of it. */
  revision: z.int(),
  errors: changesSchema.shape.errors,
})

/** That it is kept, and what is wrong with it by now: nobody has to publish it to learn that. */
export const keptAnswer = answer<Omit<z.output<typeof keptSchema>, 'status'>, typeof keptSchema>(keptSchema, kept => ({
  status: 'ok',
  ...kept,
}))

export async function showChanges(look: Look, { owner, form }: Model): Promise<z.output<typeof changesSchema>> {
  const { app, caller } = look
  const language = await look.language()
  const [published, row] = await Promise.all([
    readStored(app.store, owner, language, form.fields),
    readChanges(app.store, owner, language.key),
  ])
  const changes = row ? decodeChanges(row.data) : {}
  const content = withChanges(published, changes)
  return {
    content: await look.pick(look, form.fields, readContent(form, content), owner),
    fields: Object.keys(changes),
    conflicts: conflictsOf(published, changes),
    errors: problemsOf(form, content, caller.user.language, published),
    user: row ? personSeen(look, row) : null,
    modified: row ? isoTime(row.modified_at) : null,
    isLocked: row !== undefined && lockOf(row, caller.user.id) !== undefined,
  }
}
