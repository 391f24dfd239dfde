import { isDeepStrictEqual } from 'node:util'
import { message } from '../../platform/texts.ts'
import { brokenValue, isBroken, isOverwriting } from './broken.ts'
import type { BrokenValue, Field, FieldType, StoredValue, WriteResult } from './field.ts'
import { isList, isMap } from './stored.ts'

/** Reads the value of one field. A stored value of the wrong structure is broken. */
export function readValue(type: FieldType, field: Field, stored: StoredValue | undefined): unknown {
  if (typeof stored === 'object' && isOther(type, stored)) return brokenValue(stored, 'unreadable')
  return type.read(stored, field)
}

/**
 * A list or map where the field stores something else, as after a change of the blueprint. Without this check it would
 * be shown as empty, and then overwritten.
 */
const isOther = (type: FieldType, stored: StoredValue | undefined): stored is Exclude<StoredValue, null> =>
  (isList(stored) && type.storedAs === 'text') || (isMap(stored) && type.storedAs !== 'map')

/**
 * Replaces the stored value `before` with the sent one. Parts that the caller was not shown are kept: a value that is
 * sent back as it was read is not a change, whatever its stored form; list and map types compare their parts
 * themselves. Only `{ $overwrite: … }` replaces a broken value.
 */
export function writeValue(type: FieldType, field: Field, sent: unknown, before: StoredValue | undefined): WriteResult {
  const found = compareWith(type, field, sent, before)
  return 'value' in found ? writeNew(type, field, found.value, found.before) : found
}

/** The same for a value that may have many parts. */
export function* writeValueInSteps(
  type: FieldType,
  field: Field,
  sent: unknown,
  stored: StoredValue | undefined,
): Generator<void, WriteResult> {
  const found = compareWith(type, field, sent, stored)
  if (!('value' in found)) return found
  const { value, before } = found
  return type.writeInSteps && isList(value) && value.length > 0
    ? yield* type.writeInSteps(value, field, before)
    : writeNew(type, field, value, before)
}

/** The sent and the stored value, if they are not known already. */
function compareWith(
  type: FieldType,
  field: Field,
  sent: unknown,
  before: StoredValue | undefined,
): WriteResult | { value: unknown; before: StoredValue | undefined } {
  const isMeant = isOverwriting(sent)
  const value = isMeant ? sent.$overwrite : sent
  if (before === undefined) return isBroken(value) ? invalid() : { value, before }
  if (type.storedAs === 'text' || isOther(type, before) || isBroken(value) || isMeant) {
    const shown = readValue(type, field, before)
    if (isBroken(shown)) return isMeant ? { value, before: undefined } : refuse(shown, value, before)
    if (isBroken(value)) return invalid()
    if (type.storedAs === 'text' && isDeepStrictEqual(value, shown)) return { stored: before }
  }
  return { value, before }
}

function refuse(shown: BrokenValue, value: unknown, before: StoredValue): WriteResult {
  return isBroken(value) && value.length === shown.length ? { stored: before } : refuseOverwritingBroken()
}

/** For types that notice only while parsing the stored value that they would overwrite a broken one. */
export const refuseOverwritingBroken = (): WriteResult => ({ errors: { broken: message('validation.broken') } })

const invalid = (): WriteResult => ({ errors: { invalid: message('validation.invalid') } })

function writeNew(type: FieldType, field: Field, value: unknown, before: StoredValue | undefined): WriteResult {
  if (value !== '' && value !== null) return type.write(value, field, before)
  if (type.storedAs === 'text') return { stored: '' }
  const written = type.write(type.storedAs === 'list' ? [] : '', field, before)
  return 'stored' in written && Array.isArray(written.stored) && written.stored.length === 0 ? { stored: '' } : written
}
