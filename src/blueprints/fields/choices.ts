import type { Broken, FieldBase, Stored, Written } from './field.ts'
import { isOffered, options } from './options.ts'
import { judge, wrongType } from './rules.ts'
import { input } from './settings.ts'
import { textOf } from './stored.ts'

/** What radio, select and toggles have in common: one of several values. Any other is none. */
export const choiceSettings = () => ({ ...input(), options: options() })

type Choice = Parameters<typeof isOffered>[0] & { accept?: 'all' | 'options' }

export function readChoice(stored: Stored | undefined, field: Choice): string {
  const value = textOf(stored)
  return field.accept === 'all' || isOffered(field, value) ? value : ''
}

/** What is stored already may be sent, whatever is offered by now. */
export function writeChoice(sent: unknown, field: Choice, before?: Stored): Written {
  if (typeof sent !== 'string' && typeof sent !== 'number') return wrongType('text')
  return before !== undefined && textOf(before) === textOf(sent)
    ? { stored: before }
    : { stored: readChoice(sent, field) }
}

export const checkChoice = (value: string, field: FieldBase, asked: boolean): Broken =>
  judge(field, asked, value, value === '')
