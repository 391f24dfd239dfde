import { z } from 'zod'
import { asMessage } from '../../platform/texts.ts'
import type { BlueprintText } from './field.ts'
import { perField } from './per-field.ts'
import { isList, isMap } from './stored.ts'

/** A value that a field offers, with its label. */
export interface FieldOption {
  value: string
  text: BlueprintText
  disabled: boolean
  icon?: string
  info?: BlueprintText
}

type Setting = string | readonly unknown[] | Readonly<Record<string, unknown>>

export const options = () =>
  z
    .custom<Setting>(
      setting => isDynamic(setting) || parseOptions(setting) !== undefined,
      'This must be a list of values, a map of values to texts, or a query.',
    )
    .default([])

/** Options that are only known at request time, such as the pages of the site: any value is accepted then. */
function isDynamic(setting: unknown): boolean {
  if (typeof setting === 'string') return true
  return isMap(setting) && (setting['type'] === 'query' || setting['type'] === 'api')
}

interface Offered {
  options: readonly FieldOption[]
  values: ReadonlySet<string>
}

/** `dynamic` where the options are only known at request time. */
const compile = perField(({ options: setting }: { options: Setting }): Offered | 'dynamic' => {
  if (isDynamic(setting)) return 'dynamic'
  const found = parseOptions(setting) ?? []
  return { options: found, values: new Set(found.map(option => option.value)) }
})

export function offeredBy(field: { options: Setting }): Offered | undefined {
  const offered = compile(field)
  return offered === 'dynamic' ? undefined : offered
}

/** Whether the value is one of the options. */
export const isOffered = (field: { options: Setting }, value: string): boolean =>
  offeredBy(field)?.values.has(value) !== false

// ---- parsing the setting

/** Undefined if it is not a valid list of options. */
function parseOptions(setting: unknown): FieldOption[] | undefined {
  const entries = isMap(setting) && setting['type'] === 'array' ? setting['options'] : setting
  if (!isList(entries) && !isMap(entries)) return undefined
  const found = isList(entries)
    ? entries.map(entry => toOption(undefined, entry))
    : // A map with numbers for keys is a list: `1: One` offers `One`.
      Object.entries(entries).map(([key, entry]) => toOption(/^\d+$/.test(key) ? undefined : key, entry))
  return found.every(one => one !== undefined) ? found : undefined
}

function toOption(key: string | undefined, entry: unknown): FieldOption | undefined {
  const text = primitiveText(entry)
  if (text !== undefined) return { value: key ?? text, text: asMessage(text), disabled: false }
  if (!isMap(entry)) return undefined
  if (!('value' in entry) && !('text' in entry)) {
    const texts = textIn(entry)
    return key === undefined || texts === undefined ? undefined : { value: key, text: texts, disabled: false }
  }
  const value = primitiveText(entry['value']) ?? key
  if (value === undefined) return undefined
  const [icon, info] = [entry['icon'], textIn(entry['info'])]
  return {
    value,
    text: textIn(entry['text']) ?? value,
    disabled: entry['disabled'] === true,
    ...(typeof icon === 'string' && { icon }),
    ...(info !== undefined && { info }),
  }
}

const primitiveText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined

function textIn(value: unknown): BlueprintText | undefined {
  const isByLanguage = isMap(value) && Object.values(value).every(text => typeof text === 'string')
  if (isByLanguage) return value as Record<string, string>
  const text = primitiveText(value)
  return text === undefined ? undefined : asMessage(text)
}
