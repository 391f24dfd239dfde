import type { Logger } from 'pino'
import { z } from 'zod'
import { everyField } from '../blueprints/parse-fields.ts'
import { brokenValue, isBroken } from '../blueprints/fields/broken.ts'
import {
  type RuleErrors,
  type Field,
  type FieldType,
  fieldType,
  type StoredValue,
  type WriteResult,
} from '../blueprints/fields/field.ts'
import { fieldTypes } from '../blueprints/fields/index.ts'
import { checkRules, wrongType } from '../blueprints/fields/rules.ts'
import { saved } from '../blueprints/fields/settings.ts'
import { textOf, toStored } from '../blueprints/fields/stored.ts'
import { parseStructured } from '../blueprints/fields/yaml.ts'
import { atMostEvery } from '../platform/lib/at-most-every.ts'
import { Message, message } from '../platform/texts.ts'
import type { AnyOwnFieldType } from './field-type.ts'
import { ExtensionRefusal } from './refuse.ts'
import type { LoadedExtension } from './loaded-extension.ts'

// ---- checks at the start

const pickers = new Set(['files', 'pages', 'users'])
const functions = ['read', 'write', 'check'] as const

/** Reports what is wrong with a field type. */
export function checkFieldType(name: string, own: AnyOwnFieldType, report: (problem: string) => void): void {
  const wrong = (problem: string) => report(`fields.${name}: ${problem}`)
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
    wrong('a name has small letters, digits and hyphens, and starts with a letter')
  if (Object.hasOwn(fieldTypes, name) || name === 'group') wrong(`there is already a field type "${name}"`)
  if (typeof own !== 'object' || own === null) return wrong('must be what fieldType returns')
  const { shown, settings, storedAs } = own
  const base = shown === undefined ? undefined : Object.hasOwn(fieldTypes, shown) ? fieldTypes[shown] : null
  if (base === null) wrong(`shown: there is no built-in field type "${shown}"`)
  else if (base && (!base.saved || base.nested.length > 0 || pickers.has(shown!)))
    wrong(`shown: the input of "${shown}" cannot show it, because it does not store a single value`)
  if (base && storedAs !== undefined) wrong('storedAs: the value is stored like that of `shown`')
  if (storedAs !== undefined && !['text', 'list', 'map'].includes(storedAs))
    wrong('storedAs: must be text, list or map')
  for (const part of functions)
    if (own[part] !== undefined && typeof own[part] !== 'function') wrong(`${part}: must be a function`)
  if (settings === undefined) return
  if (!(settings instanceof z.ZodObject)) return wrong('settings: must be a z.object')
  for (const setting of Object.keys(settings.shape))
    if (everyField.includes(setting)) wrong(`settings: every field has a setting "${setting}"`)
    else if (base && Object.hasOwn(base.settings.shape, setting))
      wrong(`settings: "${shown}" has a setting "${setting}" already`)
}

// ---- the field type that the app uses

/** The value of a type without a built-in input: text, or the parsed list or map. */
const plain = (storedAs: FieldType['storedAs']): FieldType =>
  fieldType({
    settings: () => z.strictObject(saved()),
    storedAs,
    read: (stored): unknown => {
      if (isUnset(stored)) return storedAs === 'list' ? [] : ''
      return storedAs !== 'text' && typeof stored === 'string' ? parseStructured(stored) : stored
    },
    write: (sent): WriteResult => {
      if (storedAs === 'text' && typeof sent === 'object') return wrongType('text')
      if (storedAs === 'list' && !Array.isArray(sent)) return wrongType('list')
      const stored = toStored(sent)
      return stored === undefined ? { errors: { invalid: message('validation.invalid') } } : { stored }
    },
    check: (value, field, isActive = true) => checkRules(field, isActive, value, isEmpty(value)),
  })

const isUnset = (stored: StoredValue | undefined) =>
  stored === null || (typeof stored !== 'object' && textOf(stored) === '')

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Anything else, such as a promise, would be shown or stored as something that it is not. */
function jsonOf(value: unknown): StoredValue {
  const json = value instanceof Promise ? undefined : toStored(value)
  if (json === undefined) throw new TypeError('the value must be JSON')
  return json
}

/** The failing code of a value that is read in a list would fill the log. In ms. */
const logInterval = 60_000

/**
 * The field type as the app has it: the built-in one, and after it the functions of the extension. Field types never
 * throw: a failing `read` gives a broken value, a failing `write` or `check` an error at the field.
 */
export function ownFieldType(
  extension: Pick<LoadedExtension, 'name' | 'errors'>,
  name: string,
  own: AnyOwnFieldType,
  log: Logger | undefined,
): FieldType {
  const base = own.shown === undefined ? plain(own.storedAs ?? 'text') : fieldTypes[own.shown]!
  const { read, write, check } = own as Record<
    'read' | 'write' | 'check',
    ((value: unknown, field: Field) => unknown) | undefined
  >
  let settings: z.ZodObject | undefined
  const isLogDue = atMostEvery(logInterval)

  function failed(part: string, error: unknown): Message {
    const shown = `fields.${name}.${part}`
    if (isLogDue()) log?.error({ err: error, extension: extension.name, part: shown }, 'an extension has failed')
    return message('validation.extension', { name: extension.name, part: shown })
  }

  /** The error of a refusal that the extension declares; anything else is a failure of its code. */
  function errorsFrom(part: string, error: unknown): RuleErrors {
    const declared = error instanceof ExtensionRefusal ? extension.errors.get(error.key) : undefined
    if (error instanceof ExtensionRefusal && declared)
      return { [declared.key]: new Message(`error.${declared.key}`, error.data, declared.texts) }
    const reason =
      error instanceof ExtensionRefusal ? new Error(`"${error.key}" is not among the errors of the extension`) : error
    return { extension: failed(part, reason) }
  }

  return {
    saved: true,
    get settings() {
      return (settings ??= own.settings ? base.settings.extend(own.settings.shape) : base.settings)
    },
    nested: [],
    storedAs: base.storedAs,
    own: { extension: extension.name, shown: own.shown, typing: own.type },
    read(stored, field) {
      if (!read || isUnset(stored)) return base.read(stored, field)
      try {
        const found = base.read(stored, field)
        const value = isBroken(found) ? found : jsonOf(read(found, field))
        return value
      } catch (error) {
        failed('read', error)
        return brokenValue(stored!, 'unreadable')
      }
    },
    write(sent, field, before) {
      const written = base.write(sent, field, before)
      if (!write || 'errors' in written || isUnset(written.stored)) return written
      try {
        const next = base.write(jsonOf(write(base.read(written.stored, field), field)), field, before)
        if ('errors' in next) throw new TypeError('write gives what cannot be stored')
        return next
      } catch (error) {
        return { errors: errorsFrom('write', error) }
      }
    },
    check(value, field, isActive) {
      try {
        const errors = base.check(value, field, isActive)
        if (check && Object.keys(errors).length === 0 && !isEmpty(value)) mustBeDone(check(value, field))
        return errors
      } catch (error) {
        return errorsFrom('check', error)
      }
    },
  }
}

/** A promise would be rejected after the value was stored. */
function mustBeDone(returned: unknown): void {
  if (!(returned instanceof Promise)) return
  returned.catch(() => {})
  throw new TypeError('check must not return a promise')
}
