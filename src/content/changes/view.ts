import { accountOf } from '../../access/actor.ts'
import { isoTime } from '../../platform/lib/time.ts'
import { z } from 'zod'
import { answer } from '../../http/answer.ts'
import type { RequestContext } from '../../http/context.ts'
import { contentLanguages } from '../languages/languages.ts'
import { readContent, type StoredContent } from '../content.ts'
import { userSummarySchema, showUserSummary } from '../user-summary.ts'
import { problemsOf, problemsSchema } from '../rules.ts'
import type { Versioned } from '../versioned.ts'
import { addRuleProblems } from '../with-rules.ts'
import { readStored } from '../stored.ts'
import { titleProblems } from '../title.ts'
import { conflictsOf, lockOf, withChanges } from '../drafts/draft-lock.ts'
import { decodeChanges, selectCommittedChanges } from '../drafts/queries.ts'
import { formIn } from '../language-form.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'

export const changesSchema = namedSchema(
  'Draft',
  z.object({
    /** All values, as they would be after publishing. */
    content: z.record(z.string(), z.unknown()),
    /** Names of the changed fields. */
    fields: z.array(z.string()),
    /** Changed fields that were published with another value in the meantime. */
    conflicts: z.array(z.string()),
    /** Published values of the conflicting fields when they were edited. */
    base: z.record(z.string(), z.unknown()),
    /** Broken blueprint rules; publishing would be refused. */
    errors: problemsSchema,
    user: userSummarySchema.nullable(),
    modified: z.string().nullable(),
    /** Send it back as `draftRevision`. 0 if there is no draft. */
    draftRevision: z.int(),
    /** Another account holds the edit lock. */
    isLocked: z.boolean(),
    /** Drafts in other languages; each is published separately. */
    others: z.array(
      z.object({
        language: z.string(),
        fields: z.array(z.string()),
        user: userSummarySchema.nullable(),
        modified: z.string(),
      }),
    ),
  }),
)

const savedDraftSchema = namedSchema(
  'SavedDraft',
  z.object({
    status: z.literal('ok'),
    /** Revision of the published content; saving a draft does not change it. */
    revision: z.int(),
    /** Revision of the saved draft. */
    draftRevision: z.int(),
    errors: changesSchema.shape.errors,
  }),
)

/** Confirms a saved draft and reports broken rules before it is published. */
export const savedDraftAnswer = answer<Omit<z.output<typeof savedDraftSchema>, 'status'>, typeof savedDraftSchema>(
  savedDraftSchema,
  saved => ({
    status: 'ok',
    ...saved,
  }),
)

export async function showChanges(
  ctx: RequestContext,
  target: Pick<Versioned, 'model' | 'ruled'>,
): Promise<z.output<typeof changesSchema>> {
  const { app } = ctx
  const { model } = target
  const { owner, form } = model
  const language = await ctx.language()
  const [published, rows, languages] = await Promise.all([
    readStored(app.store, owner, language, form.fields),
    selectCommittedChanges(app.store, owner),
    contentLanguages(app),
  ])
  const row = rows.find(({ language: key }) => key === language.key)
  const changes = row ? decodeChanges(row.data) : {}
  const content = withChanges(published, changes)
  const conflicts = conflictsOf(published, changes)
  const before = { ...published, ...Object.fromEntries(conflicts.map(name => [name, changes[name]!.from])) }
  const values = async (stored: StoredContent) =>
    ctx.pick(ctx, form.fields, await readContent(formIn(form, language), stored), owner)
  const base = conflicts.length > 0 ? await values(before) : {}
  const problems = {
    ...titleProblems(published, content, ctx.locale),
    ...(await problemsOf(form, content, ctx.locale, published)),
  }
  const subject = { ...target.ruled(), model, language, content, before: published }
  return {
    content: await values(content),
    fields: Object.keys(changes),
    conflicts,
    base: Object.fromEntries(conflicts.map(name => [name, base[name]])),
    errors: await addRuleProblems(ctx, problems, subject),
    user: row ? showUserSummary(ctx, row) : null,
    modified: row ? isoTime(row.modified_at) : null,
    draftRevision: row?.revision ?? 0,
    isLocked: row !== undefined && lockOf(row, accountOf(ctx)) !== undefined,
    others: rows.flatMap(other => {
      const { code } = languages.find(({ key }) => key === other.language) ?? {}
      if (other === row || code === undefined) return []
      const fields = Object.keys(decodeChanges(other.data))
      return [{ language: code, fields, user: showUserSummary(ctx, other), modified: isoTime(other.modified_at) }]
    }),
  }
}
