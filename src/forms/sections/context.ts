import type { Blueprint } from '../../blueprints/blueprints.ts'
import { fillIn, query, type QueryValue } from '../../blueprints/query.ts'
import type { RequestContext } from '../../http/context.ts'
import { textFor, textIn } from '../pickers/texts.ts'
import { scopeOf, type Subject } from '../query/scope.ts'
import { markdown } from './markdown.ts'

/** The model whose sections are shown, and the request context with the caller. */
export interface SectionContext {
  ctx: RequestContext
  subject: Subject
  blueprint: Blueprint
  canUpdate: boolean
}

/** The path of a model in the API, without the prefix of the API. */
export function apiUrlOf(subject: Subject): string {
  switch (subject.kind) {
    case 'page':
      return `pages/${subject.row.path.replaceAll('/', '+')}`
    case 'user':
      return `users/${subject.row.id}`
    case 'file':
      return `${subject.row.parent.link.slice(1)}/files/${subject.row.file.filename}`
    default:
      return 'site'
  }
}

/** A text of the blueprint with placeholders filled in; null if there is none. */
export async function textOfSetting({ ctx, subject }: SectionContext, setting: unknown): Promise<string | null> {
  return (await textFor(ctx, setting, subject)) ?? null
}

/** The same, converted from Markdown to HTML. Placeholder values are escaped. */
export async function htmlOf({ ctx, subject }: SectionContext, setting: unknown): Promise<string | null> {
  const text = textIn(ctx, setting)
  if (text === undefined) return null
  const scope = scopeOf(ctx, subject)
  return markdown(text, part => fillIn(part, scope, { html: true }))
}

/** Runs a query of the blueprint. */
export async function runQuery(
  { ctx, subject }: Pick<SectionContext, 'ctx' | 'subject'>,
  source: string,
): Promise<QueryValue> {
  return query(source, scopeOf(ctx, subject))
}
