import { z } from 'zod'
import type { Broken, FieldBase, Stored, Written } from './field.ts'
import { judgeList, wrongType } from './rules.ts'
import { counts, flag, saved, text } from './settings.ts'
import { isList, isMap, textOf } from './stored.ts'
import { parseYaml } from './yaml.ts'

/**
 * What files, pages and users have in common: a list of references, such as `page://…` or an id, as they are stored. Only
 * those who know pages, files and accounts can find what they refer to and show it; references to nothing are their
 * business, too.
 */
export const pickerSettings = () => ({
  ...saved(),
  ...counts(),
  empty: text().optional(),
  image: z.union([z.string(), z.literal(false), z.record(z.string(), z.unknown())]).optional(),
  info: text().optional(),
  layout: z.string().default('list'),
  link: flag(true),
  multiple: flag(true),
  query: z.string().optional(),
  search: flag(true),
  size: z.string().default('auto'),
  store: z.string().default('uuid'),
  text: text().optional(),
})

interface Picker {
  min?: number | undefined
  max?: number | undefined
  multiple: boolean
  store: string
}

/** A list that needs no parser, as most are. */
const plainList = /^(?:- [\w:/.@+~-]+(?:\n|$))+$/

export function readReferences(stored: Stored | undefined): readonly string[] {
  const whole = textOf(stored)
  if (plainList.test(whole)) return whole.split('\n').map(line => line.slice(2))
  const entries = typeof stored === 'string' ? parseYaml(whole) : stored
  return (isList(entries) ? entries : [entries === undefined ? whole : entries])
    .map(entry => textOf(entry))
    .filter(entry => entry !== '')
}

/** References, or maps that have one, as the entries that the API shows. */
export function writeReferences(sent: unknown, { store }: Picker): Written {
  if (typeof sent === 'string') return { stored: [...readReferences(sent)] }
  if (!isList(sent)) return wrongType('list')
  const references = sent.map(entry => referenceIn(entry, store))
  return references.every(reference => reference !== '') ? { stored: references } : wrongType('list')
}

/** In the form in which it is to be stored, if the entry has it. */
function referenceIn(entry: unknown, store: string): string {
  if (!isMap(entry)) return typeof entry === 'string' ? entry.trim() : ''
  const found = [store, 'uuid', 'id', 'email']
    .map(name => entry[name])
    .find(value => typeof value === 'string' && value)
  return typeof found === 'string' ? found.trim() : ''
}

export const checkReferences = (references: readonly string[], field: FieldBase & Picker, asked: boolean): Broken =>
  judgeList(field.multiple ? field : { ...field, max: 1 }, asked, references)
