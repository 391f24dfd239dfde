import type { Field } from '../blueprints/fields/field.ts'
import type { VisibleReferences } from '../blueprints/fields/visible.ts'
import type { RequestContext } from '../http/context.ts'
import { withChanges } from './drafts/draft-lock.ts'
import { decodeChanges, selectCommittedChanges } from './drafts/queries.ts'
import { readContent } from './content.ts'
import type { Model } from './save.ts'
import { readStored } from './stored.ts'

/**
 * The references in the sent fields, published and drafted, that the caller can see. Resolved before the transaction:
 * references added in between were not shown to the caller, and are preserved.
 */
export async function visibleReferences(
  ctx: RequestContext,
  { owner, form }: Model,
  sent: Readonly<Record<string, unknown>>,
): Promise<VisibleReferences> {
  const values = new Map<string, unknown>()
  for (const [key, value] of Object.entries(sent)) values.set(key.toLowerCase(), value)
  const fields = new Map<string, Field>()
  for (const [name, field] of form.fields) if (values.has(name)) fields.set(name, field)
  return ctx.visible(ctx, fields, owner, Object.fromEntries(values), async () => {
    const language = await ctx.language()
    const [published, rows] = await Promise.all([
      readStored(ctx.app.store, owner, language, form.fields),
      selectCommittedChanges(ctx.app.store, owner),
    ])
    const row = rows.find(({ language: key }) => key === language.key)
    const contents = row ? [published, withChanges(published, decodeChanges(row.data))] : [published]
    return Promise.all(contents.map(content => readContent({ ...form, fields }, content)))
  })
}
