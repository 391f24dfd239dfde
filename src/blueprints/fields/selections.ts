import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { spendParts } from './budget.ts'
import type { StoredValue, WriteResult } from './field.ts'
import { type RowState, withHidden } from './merge.ts'
import { isOffered, options } from './options.ts'
import { tooManyParts, wrongType } from './rules.ts'
import { counts, flag, input } from './settings.ts'
import { isList, textOf } from './stored.ts'

/** Settings that checkboxes, multiselect and tags share: several strings, stored as one. */
export const selectionSettings = () => ({ ...input(), ...counts(), options: options() })

/** Settings that multiselect and tags have in addition. */
export const tagSettings = (accept: 'all' | 'options', icon: string) => ({
  ...selectionSettings(),
  accept: z.enum(['all', 'options']).default(accept),
  icon: input().icon.default(icon),
  layout: z.string().optional(),
  search: z.union([z.boolean(), z.record(z.string(), z.unknown())]).default(true),
  separator: z.string().min(1).default(','),
  sort: flag(false),
})

interface Rule {
  separator: string
  /** Undefined if every value is possible. */
  isPossible: ((value: string) => boolean) | undefined
}

/** All values of a stored or sent list, including those that are not offered. */
const valuesIn = (stored: StoredValue | undefined, rule: Rule): readonly string[] => trimmed(piecesIn(stored, rule))

function piecesIn(stored: StoredValue | undefined, { separator }: Rule): readonly string[] {
  if (!isList(stored)) return textOf(stored).split(separator)
  return stored.flatMap(piece => textOf(piece).split(separator))
}

function trimmed(pieces: readonly string[]): string[] {
  const values: string[] = []
  for (const piece of pieces) {
    const value = piece.trim()
    if (value !== '') values.push(value)
  }
  return values
}

export const readSelection = (stored: StoredValue | undefined, rule: Rule): readonly string[] =>
  possibleOf(valuesIn(stored, rule), rule)

const possibleOf = (values: readonly string[], { isPossible }: Rule) =>
  isPossible ? values.filter(isPossible) : values

/**
 * Accepts a list of strings, or one string with separators; values that are not offered are left out. Stored values
 * that are no longer offered are not shown, and stay where they are.
 */
export function writeSelection(sent: unknown, rule: Rule, before?: StoredValue): WriteResult {
  if (typeof sent !== 'string' && !(isList(sent) && sent.every(isTextOrNumber))) return wrongType('list')
  const previous = valuesIn(before, rule)
  const pieces = piecesIn(sent, rule)
  if (pieces.length > previous.length && !spendParts(pieces.length)) return tooManyParts()
  const written = possibleOf(trimmed(pieces), rule)
  const newIndexes = Map.groupBy(written.keys(), index => written[index]!)
  const states = previous.map((value): RowState =>
    rule.isPossible?.(value) !== false ? (newIndexes.get(value)?.shift() ?? 'removed') : 'hidden',
  )
  const merged = withHidden(previous, index => states[index]!, written)
  const isSame = before !== undefined && isDeepStrictEqual(merged, previous)
  return { stored: isSame ? before : merged.join(`${rule.separator} `) }
}

const isTextOrNumber = (value: unknown) => typeof value === 'string' || typeof value === 'number'

type Tags = Parameters<typeof isOffered>[0] & { accept: 'all' | 'options'; separator: string }

const ruleOf = (field: Tags): Rule => ({
  separator: field.separator,
  isPossible: field.accept === 'all' ? undefined : value => isOffered(field, value),
})

export const readTags = (stored: StoredValue | undefined, field: Tags): readonly string[] =>
  readSelection(stored, ruleOf(field))

export const writeTags = (sent: unknown, field: Tags, before?: StoredValue): WriteResult =>
  writeSelection(sent, ruleOf(field), before)
