import { createRequire } from 'node:module'
import type * as Marked from 'marked'
import { sanitise } from '../blueprints/fields/html.ts'

const require = createRequire(import.meta.url)
let library: typeof Marked | undefined

/** Loaded when the first text needs it. */
const marked = () => (library ??= require('marked') as typeof Marked)

/** A text of a blueprint as HTML that can be shown to anybody. */
export function markdown(text: string): string {
  return sanitise(marked().parse(text, { async: false, breaks: true }).trim())
}
