import { fieldTypeKey, type Field, type Fields, type Fieldset } from '../src/blueprints/fields/field.ts'
import { fieldTypes } from '../src/blueprints/fields/index.ts'

interface Settings {
  [setting: string]: unknown
}

const common = new Set(['label', 'width', 'required', 'disabled', 'translate', 'help', 'default', 'when'])

/** A field as blueprints build it: its settings are validated, nested fields are used as given. */
export function field(type: string, settings: Settings = {}, name: string = type): Field {
  const found = fieldTypes[type]!
  const { nested, settings: schema } = found
  const isOwn = (key: string) => !common.has(key) && !(nested as readonly string[]).includes(key)
  const pick = (test: (key: string) => boolean) =>
    Object.fromEntries(Object.entries(settings).filter(([key]) => test(key)))
  const inner: Settings = { fields: fields({}), fieldsets: new Map(), settings: fieldset('settings', {}) }
  return {
    [fieldTypeKey]: found,
    name,
    type,
    label: name,
    width: '1/1',
    required: false,
    disabled: false,
    translate: true,
    private: false,
    ...schema.parse(pick(isOwn)),
    ...Object.fromEntries(nested.map(key => [key, inner[key]])),
    ...pick(key => !isOwn(key)),
  }
}

/** `fields({ year: ['number', { min: 1700 }] })` */
export function fields(described: Record<string, readonly [type: string, settings?: Settings]>): Fields {
  return new Map(Object.entries(described).map(([name, [type, settings]]) => [name, field(type, settings, name)]))
}

export function fieldset(type: string, described: Parameters<typeof fields>[0]): Fieldset {
  return { type, name: type, fields: fields(described), broken: new Set() }
}

export const fieldsets = (...sets: Fieldset[]): ReadonlyMap<string, Fieldset> =>
  new Map(sets.map(set => [set.type, set]))
