import { isMap } from '../fields/field.ts'
import { textOfHtml } from '../fields/html.tsx'
import { type Blueprint, sectionsOf } from './blueprint.ts'
import type { Content } from './content-resource.ts'

/** Types of fields with long texts. */
const longTypes = new Set(['blocks', 'layout', 'list', 'markdown', 'table', 'textarea', 'writer'])

export interface Heading {
  text: string
  level: number
  /** The path of the field or block, see `focusField`. */
  path: readonly string[]
}

/** The fields with long texts, in the order of the form. */
export const longFieldsOf = ({ tabs }: Blueprint): string[] =>
  tabs
    .flatMap(sectionsOf)
    .flatMap(({ fields = {} }) => Object.entries(fields))
    .flatMap(([name, { type = '' }]) => (longTypes.has(type) ? [name.toLowerCase()] : []))

/** Properties of blocks, and of rows and columns of layouts, that are no text. */
const technical = new Set(['attrs', 'autoplay', 'controls', 'crop', 'id', 'isHidden', 'language', 'level', 'link', 'location', 'loop', 'muted', 'preload', 'ratio', 'src', 'type', 'url', 'uuid', 'width']) // prettier-ignore

/** Cache of word counts. Blocks are immutable, so only changed blocks are counted again. */
const wordCounts = new WeakMap<object, number>()
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** The items of a list, or the values of a block, row or object that have texts. */
export const valuesWithText = (value: object): readonly unknown[] =>
  Array.isArray(value) ? value : Object.entries(value).flatMap(([name, part]) => (technical.has(name) ? [] : [part])) // prettier-ignore

/** The number of words in fields of any type. */
export function countWords(value: unknown): number {
  if (typeof value === 'string') return countWordsIn(value)
  if (typeof value !== 'object' || value === null) return 0
  const known = wordCounts.get(value)
  if (known !== undefined) return known
  const count = valuesWithText(value).reduce<number>((sum, part) => sum + countWords(part), 0)
  wordCounts.set(value, count)
  return count
}

function countWordsIn(html: string): number {
  const text = textOfHtml(html).trim()
  if (text === '' || /^(?:page|file|user|https?):\/\/\S+$/.test(text)) return 0
  let count = 0
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike === true) count += 1
  return count
}

/** The headings of texts and blocks, in the order of the form. */
export function headingsOf(names: readonly string[], values: Content): Heading[] {
  return names.flatMap(name => headingsIn(values[name], [name]))
}

function headingsIn(value: unknown, path: readonly string[]): Heading[] {
  if (typeof value === 'string') return [...htmlHeadings(value, path), ...markdownHeadings(value, path)]
  if (Array.isArray(value)) return value.flatMap(part => headingsIn(part, path))
  if (!isMap(value)) return []
  const { type, id, content, columns, blocks } = value
  // A row of a layout, or a column of it.
  if (columns !== undefined || blocks !== undefined) return headingsIn(columns ?? blocks, path)
  if (typeof type !== 'string' || typeof id !== 'string' || !isMap(content)) return []
  const { text, level } = content
  const here = [...path, id]
  if (type === 'heading' && typeof text === 'string') {
    const heading = textOfHtml(text)
    return heading === '' ? [] : [{ text: heading, level: Number(String(level).slice(1)) || 2, path: here }]
  }
  return headingsIn(text, here)
}

const htmlHeadings = (html: string, path: readonly string[]) =>
  [...html.matchAll(/<h([1-6])\b[^>]*>(.*?)<\/h\1>/gis)]
    .map(([, level, text = '']) => ({ text: textOfHtml(text), level: Number(level), path }))
    .filter(({ text }) => text !== '')

const markdownHeadings = (text: string, path: readonly string[]) =>
  [...text.matchAll(/^(#{1,6}) +(\S.*)$/gm)].map(([, hashes = '', heading = '']) => ({
    text: heading,
    level: hashes.length,
    path,
  }))
