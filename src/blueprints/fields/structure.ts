import { z } from 'zod'
import { runToEnd } from '../../platform/lib/steps.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { message } from '../../platform/texts.ts'
import { brokenValue, isBroken } from './broken.ts'
import {
  type BrokenValue,
  type Field,
  type FieldType,
  fieldType,
  type NestedFields,
  type StoredValue,
  type WriteResult,
} from './field.ts'
import { spendParts } from './budget.ts'
import { matchRows, storedUnlessChanged } from './merge.ts'
import { nested, prefixPaths } from './nested.ts'
import { isPicker } from './references.ts'
import { checkListRules, tooManyParts, wrongType } from './rules.ts'
import { counts, flag, saved, textSetting } from './settings.ts'
import { isList, isMap } from './stored.ts'
import { refuseOverwritingBroken } from './values.ts'
import { parseStructured } from './yaml.ts'

const settings = () =>
  z.strictObject({
    ...saved(),
    ...counts(),
    columns: z.record(z.string(), z.unknown()).optional(),
    duplicate: flag(true),
    empty: textSetting().optional(),
    limit: z.int().min(1).optional(),
    prepend: flag(false),
    sortable: z.boolean().optional(),
    sortBy: z.string().optional(),
  })

const rowsPerStep = 100

type Row = Readonly<Record<string, unknown>>

/** Empty, or rows; a list of anything else is broken. */
function rowsIn(stored: StoredValue | undefined): readonly StoredValue[] | BrokenValue {
  if (stored === undefined || stored === null || stored === '') return []
  const rows = typeof stored === 'string' ? parseStructured(stored) : stored
  if (isBroken(rows)) return rows
  if (rows === null) return []
  return isList(rows) && rows.every(row => row === null || isMap(row)) ? rows : brokenValue(stored, 'unreadable')
}

/** References may have been shown in part only, so they are not used to match rows. */
const isReferring = (field: Field | undefined) => field !== undefined && isPicker(field)

/** Rows that all have the same fields. */
export const structure: FieldType<never, readonly Row[]> = fieldType({
  settings,
  nested: ['fields'],
  storedAs: 'list',
  read(stored, { fields }) {
    const rows = rowsIn(stored)
    return isBroken(rows)
      ? rows
      : rows.filter(isMap).map(row => nested.read(fields, row as Record<string, StoredValue>))
  },
  write(sent, field, before) {
    const rows = typeof sent === 'string' ? parseStructured(sent) : sent
    return isList(rows) ? runToEnd(writeRows(rows, field, before)) : wrongType('list')
  },
  writeInSteps: writeRows,
  check: (rows, field, isActive = true) =>
    checkListRules(field, isActive, rows, () => {
      const [index, error] = nested.firstErrorInRows(field.fields, rows) ?? []
      return error ? { structure: message('validation.structure', { row: String(index! + 1), ...error }) } : {}
    }),
  *nestedErrors(rows, { fields }) {
    for (const [index, row] of rows.entries()) yield* prefixPaths(nested.nestedErrors(fields, row), index)
  },
})

function* writeRows(
  rows: readonly unknown[],
  { fields }: Pick<NestedFields, 'fields'>,
  before: StoredValue | undefined,
): Generator<void, WriteResult> {
  const previous = rowsIn(before)
  if (isBroken(previous)) return refuseOverwritingBroken()
  if (rows.length > previous.length && !spendParts(rows.length * (1 + fields.size))) return tooManyParts()
  const maps = previous.filter(isMap)
  const shown: Row[] = []
  for (const batch of rows.length === 0 ? [] : chunks(maps, rowsPerStep)) {
    for (const row of batch) shown.push(nested.read(fields, row as Record<string, StoredValue>))
    yield
  }
  const matches = yield* matchRows(rows.filter(isMap), shown, name => !isReferring(fields.get(name)))
  const stored: StoredValue[] = []
  for (const [index, row] of rows.entries()) {
    if (index % rowsPerStep === 0) yield
    const number = String(index + 1)
    if (!isMap(row)) {
      const problem = message('validation.type', { kind: message('kind.object') })
      return { errors: { structure: message('validation.row', { row: number, problem }) } }
    }
    const match = matches[index]
    const written = nested.write(fields, row, match === undefined ? undefined : maps[match])
    if ('error' in written)
      return { errors: { structure: message('validation.structure', { row: number, ...written.error }) } }
    stored.push(written.stored)
  }
  yield
  return { stored: storedUnlessChanged(stored, maps, before) }
}
