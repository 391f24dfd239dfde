import { z } from 'zod'
import type { ContentLanguage, Look } from '../../http/look.ts'
import { isDefault } from '../../languages/languages.ts'
import { readContent, type StoredContent } from '../content.ts'
import { differing } from '../difference.ts'
import { personSchema, personSeen } from '../person.ts'
import type { Model } from '../save.ts'
import type { Found } from './history.ts'
import type { VersionRow } from './queries.ts'

const entry = {
  id: z.int(),
  time: z.string(),
  /** `create`, `update`, `publish`, `restore`, `title` … */
  action: z.string(),
  /** Null on a site without languages. */
  language: z.string().nullable(),
  /** What the thing was at with it. */
  revision: z.int(),
  /** Null for somebody who is gone, and for what nobody in person has done. */
  user: personSchema.nullable(),
  /** The names that were different from the version before. */
  fields: z.array(z.string()),
}

export const versionSchema = z.object(entry)

export const wholeVersionSchema = z.object({
  ...entry,
  content: z.record(z.string(), z.unknown()),
  /** What differs from the version it is compared with: what it is there, and what it is here. */
  changes: z.record(z.string(), z.object({ before: z.unknown(), after: z.unknown() })),
})

export function showVersion(
  look: Look,
  { id, time, action, language, revision, user, fields, ...account }: VersionRow,
  languages: readonly ContentLanguage[],
): z.output<typeof versionSchema> {
  return {
    id,
    time: new Date(time).toISOString(),
    action,
    language: languages.find(({ key }) => key === language)?.code ?? null,
    revision,
    user: personSeen(look, { ...account, id: user }),
    fields: JSON.parse(fields) as string[],
  }
}

export async function showWhole(
  look: Look,
  model: Model,
  { version, language, content }: Found,
  other: StoredContent,
): Promise<z.output<typeof wholeVersionSchema>> {
  const [after, before] = await Promise.all([
    valuesOf(look, model, language, content),
    valuesOf(look, model, language, other),
  ])
  const names = differing(content, other).filter(name => name in after || name in before)
  const changes = names.map(name => [name, { before: before[name] ?? null, after: after[name] ?? null }])
  return {
    ...showVersion(look, version, [language]),
    content: after,
    changes: Object.fromEntries(changes) as Record<string, { before: unknown; after: unknown }>,
  }
}

/** What is the same in all languages is kept with the default one alone, and not a part of the others' versions. */
async function valuesOf(look: Look, { owner, form }: Model, language: ContentLanguage, content: StoredContent) {
  const values = await look.pick(look, form.fields, readContent(form, content), owner)
  if (isDefault(language)) return values
  return Object.fromEntries(Object.entries(values).filter(([name]) => form.fields.get(name)?.translate !== false))
}
