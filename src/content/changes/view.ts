import { z } from 'zod'
import type { Look } from '../../http/look.ts'
import { readContent } from '../content.ts'
import { personSchema, personSeen } from '../person.ts'
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
  user: personSchema.nullable(),
  modified: z.string().nullable(),
  /** Somebody else is at work: nobody but them changes the content now. */
  isLocked: z.boolean(),
})

export async function showChanges(look: Look, { owner, form }: Model): Promise<z.output<typeof changesSchema>> {
  const { app, caller } = look
  const language = await look.language()
  const [published, row] = await Promise.all([
    readStored(app.store, owner, language, form.fields),
    readChanges(app.store, owner, language.key),
  ])
  const changes = row ? decodeChanges(row.data) : {}
  return {
    content: await look.pick(look, form.fields, readContent(form, withChanges(published, changes)), owner),
    fields: Object.keys(changes),
    conflicts: conflictsOf(published, changes),
    user: row ? personSeen(look, row) : null,
    modified: row ? new Date(row.modified_at).toISOString() : null,
    isLocked: row !== undefined && lockOf(row, caller.user.id) !== undefined,
  }
}
