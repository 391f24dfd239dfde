import { z } from 'zod'
import type { ContentLanguage, RequestContext } from '../../http/context.ts'
import { isDefault } from '../languages/languages.ts'
import { readContent, type StoredContent } from '../content.ts'
import { differing } from '../difference.ts'
import { userSummarySchema, showUserSummary } from '../user-summary.ts'
import type { EventDetail } from '../queries.ts'
import type { Model } from '../save.ts'
import type { FoundVersion } from './history.ts'
import type { VersionRow } from './queries.ts'
import { formIn } from '../language-form.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'

const entry = {
  id: z.int(),
  time: z.string(),
  /**
   * `version`: published content. `draft`: a draft that was overwritten within the last day. `event`: no content; such
   * an entry cannot be read or restored.
   */
  kind: z.enum(['version', 'draft', 'event']),
  /**
   * Versions: `create`, `update`, `publish`, `title` …; drafts: `overwritten`, `discarded`, `taken`;
   * events: `status`, `slug`, `move`, `template`, `schedule`.
   */
  action: z.string(),
  /** Null on a site without languages, and for an event. */
  language: z.string().nullable(),
  /** Revision of the model after the change. */
  revision: z.int(),
  /** Null if the account was deleted, or the system made the change. */
  user: userSummarySchema.nullable(),
  /** Names of fields that differ from the previous version. */
  fields: z.array(z.string()),
  /** Old and new value of an event: a status, a slug, the id of the page, a template. */
  detail: z
    .object({ before: z.string().optional(), after: z.string().optional(), at: z.string().optional() })
    .nullable(),
}

export const versionSchema = namedSchema('Version', z.object(entry))

export const wholeVersionSchema = namedSchema(
  'ComparedVersion',
  z.object({
    ...entry,
    content: z.record(z.string(), z.unknown()),
    /** Fields that differ from the compared version: `before` is its value, `after` the value of this version. */
    changes: z.record(z.string(), z.object({ before: z.unknown(), after: z.unknown() })),
  }),
)

export function showVersion(
  ctx: RequestContext,
  { id, time, kind, action, language, revision, user, fields, detail, ...account }: VersionRow,
  languages: readonly ContentLanguage[],
): z.output<typeof versionSchema> {
  return {
    id,
    time: new Date(time).toISOString(),
    kind,
    action,
    language: kind === 'event' ? null : (languages.find(({ key }) => key === language)?.code ?? null),
    revision,
    user: showUserSummary(ctx, { ...account, id: user }),
    fields: JSON.parse(fields) as string[],
    detail: detail === null ? null : (JSON.parse(detail) as EventDetail),
  }
}

export async function showWhole(
  ctx: RequestContext,
  model: Model,
  { version, language, content }: FoundVersion,
  other: StoredContent,
): Promise<z.output<typeof wholeVersionSchema>> {
  const [after, before] = await Promise.all([
    valuesOf(ctx, model, language, content),
    valuesOf(ctx, model, language, other),
  ])
  const names = differing(content, other).filter(name => name in after || name in before)
  const changes = names.map(name => [name, { before: before[name] ?? null, after: after[name] ?? null }])
  return {
    ...showVersion(ctx, version, [language]),
    content: after,
    changes: Object.fromEntries(changes) as Record<string, { before: unknown; after: unknown }>,
  }
}

/** Versions in other languages have no untranslatable fields: those are stored in the default language only. */
async function valuesOf(
  ctx: RequestContext,
  { owner, form }: Model,
  language: ContentLanguage,
  content: StoredContent,
) {
  const values = await ctx.pick(ctx, form.fields, await readContent(formIn(form, language), content), owner)
  if (isDefault(language)) return values
  return Object.fromEntries(Object.entries(values).filter(([name]) => form.fields.get(name)?.translate !== false))
}
