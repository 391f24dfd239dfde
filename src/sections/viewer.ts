import type { Blueprint } from '../blueprints/blueprints.ts'
import { query, type Value } from '../blueprints/query.ts'
import type { Look } from '../http/look.ts'
import { textFor } from '../pickers/texts.ts'
import { scopeOf, type Subject } from '../scope/scope.ts'
import { markdown } from './markdown.ts'

/** The thing whose sections are shown, and who looks at it. */
export interface Viewer {
  look: Look
  subject: Subject
  blueprint: Blueprint
  mayUpdate: boolean
}

/** A text of its blueprint, filled in. Null for none. */
export async function textOf({ look, subject }: Viewer, setting: unknown): Promise<string | null> {
  return (await textFor(look, setting, subject)) ?? null
}

/** The same as HTML. What is filled in is escaped. */
export async function htmlOf({ look, subject }: Viewer, setting: unknown): Promise<string | null> {
  const text = await textFor(look, setting, subject, { html: true })
  return text === undefined ? null : markdown(text)
}

/** What a query of its blueprint gives. */
export async function queried({ look, subject }: Viewer, source: string): Promise<Value> {
  return query(source, await scopeOf(look, subject))
}
