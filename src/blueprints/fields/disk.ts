import { isBroken } from './broken.ts'
import type { Field, Fields, StoredValue } from './field.ts'
import { isList, isMap } from './stored.ts'
import { parseStructured } from './yaml.ts'

/**
 * Field types whose values are YAML in text files. Other structured values are JSON, or comma-separated text, in the
 * database and in text files.
 */
const yamlTypes: ReadonlySet<string> = new Set(['structure', 'object', 'pages', 'files', 'users'])

type Content = Readonly<Record<string, string>>

/** Converts content of a text file to its stored form. A value that cannot be parsed stays unchanged. */
export const fromDisk = (fields: Fields, content: Content): Content => mapped(fields, content, jsonOf)

/** Converts stored content to the form that text files have. */
export const toDisk = (fields: Fields, content: Content): Content => mapped(fields, content, yamlOf)

function mapped(fields: Fields, content: Content, change: (field: Field, text: string) => string): Content {
  const names = Object.keys(content).filter(name => yamlTypes.has(fields.get(name)?.type ?? ''))
  if (names.length === 0) return content
  return { ...content, ...Object.fromEntries(names.map(name => [name, change(fields.get(name)!, content[name]!)])) }
}

/** Converts YAML to JSON, if it has the structure that the field reads. */
function jsonOf({ type }: Field, text: string): string {
  if (text.trim() === '') return text
  const value = parseStructured(text, 'command')
  if (isBroken(value)) return text
  const isValid =
    type === 'object'
      ? isMap(value)
      : isList(value) && (type !== 'structure' || value.every(row => row === null || isMap(row)))
  return isValid ? JSON.stringify(value) : text
}

function yamlOf(_: Field, text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return toYaml(JSON.parse(text) as StoredValue)
  } catch {
    return text
  }
}

/**
 * Writes the YAML dialect of existing content files, so that unchanged values are exported exactly as they were
 * imported.
 */
export function toYaml(value: StoredValue): string {
  const text = linesOf(value, '').join('\n')
  return text === '' ? scalar(value, '') : text
}

const isFilled = (value: StoredValue) =>
  isList(value) ? value.length > 0 : isMap(value) && Object.keys(value).length > 0

function linesOf(value: StoredValue, indent: string): string[] {
  const inner = `${indent}  `
  if (isList(value))
    return value.flatMap(part =>
      isFilled(part) ? [`${indent}- `, ...linesOf(part, inner)] : [`${indent}- ${scalar(part, inner)}`],
    )
  if (!isMap(value)) return []
  return Object.entries(value as Record<string, StoredValue>).flatMap(([name, part]) => {
    const key = `${indent}${plainKey.test(name) && name !== 'null' ? name : quoted(name)}:`
    return isFilled(part) ? [key, ...linesOf(part, inner)] : [`${key} ${scalar(part, inner)}`]
  })
}

const plainKey = /^[A-Za-z_][\w-]*$/

function scalar(value: StoredValue, indent: string): string {
  if (isList(value)) return '[ ]'
  if (isMap(value)) return '{ }'
  if (typeof value !== 'string') return String(value)
  if (value === '') return '""'
  // oxlint-disable-next-line no-control-regex -- these have to be escaped
  if (/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\t]/.test(value)) return quoted(value)
  if (value.includes('\n')) return blockScalar(value, indent)
  if (isNumeric.test(value)) return `"${value}"`
  if (!needsQuotes.test(value) && !reservedWords.test(value)) return value
  if (!value.includes("'")) return `'${value}'`
  return /["\\]/.test(value) ? quoted(value) : `"${value}"`
}

/** A block scalar, if it can represent the value exactly: with one line break at the end, or with none. */
function blockScalar(value: string, indent: string): string {
  const [, text, end] = /^([^]*?)(\n*)$/.exec(value)!
  if (text === '' || end!.length > 1 || /^[ \n]/.test(value) || /[ \t]\n|[ \t]$/.test(value)) return quoted(value)
  const whole = text!.split('\n').map(line => `\n${indent}${line}`) // prettier-ignore
  return `|${end === '' ? '-' : ''}${whole.join('')}`
}

const isNumeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const reservedWords = /^(?:true|on|\+|y|yes|false|off|-|n|no|null|~)$/i
/** Characters that YAML interprets anywhere, at the beginning, or at the end. */
const needsQuotes = /: |- |[*#<>%[\]{}&']| {2}|^[\s!|?:,"@`-]|[\s:]$/

const escapes: Readonly<Record<string, string>> = { '\u2028': '\\u2028', '\u2029': '\\u2029', '\ufeff': '\\ufeff' }

/** A JSON string, with the characters escaped that YAML treats as line breaks or forbids. */
function quoted(value: string): string {
  return JSON.stringify(value).replaceAll(
    // oxlint-disable-next-line no-control-regex -- these have to be escaped
    /[\x7f-\x9f\u2028\u2029\ufeff]/g,
    character => escapes[character] ?? `\\x${character.charCodeAt(0).toString(16)}`,
  )
}
