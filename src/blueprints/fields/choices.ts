import type { RuleErrors, FieldBase, StoredValue, WriteResult } from './field.ts'
import { isOffered, options } from './options.ts'
import { checkRules, wrongType } from './rules.ts'
import { input } from './settings.ts'
import { textOf } from './stored.ts'

/** Shared by radio, select and toggles: one of several values. Any other value counts as empty. */
export const choiceSettings = () => ({ ...input(), options: options() })

type Choice = Parameters<typeof isOffered>[0] & { accept?: 'all' | 'options' }

export function readChoice(stored: StoredValue | undefined, field: Choice): string {
  const value = textOf(stored)
  return field.accept === 'all' || isOffered(field, value) ? value : ''
}

/** The stored value may be sent again even if it is no longer offered. */
export function writeChoice(sent: unknown, field: Choice, before?: StoredValue): WriteResult {
  if (typeof sent !== 'string' && typeof sent !== 'number') return wrongType('text')
  return before !== undefined && textOf(before) === textOf(sent)
    ? { stored: before }
    : { stored: readChoice(sent, field) }
}

export const checkChoice = (value: string, field: FieldBase, isActive: boolean): RuleErrors =>
  checkRules(field, isActive, value, value === '')
