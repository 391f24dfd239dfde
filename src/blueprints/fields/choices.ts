import type { Broken, FieldBase, Stored, Written } from './field.ts'
import { isOffered, options } from './options.ts'
import { judge, wrongType } from './rules.ts'
import { input } from './settings.ts'
import { textOf } from './stored.ts'

/** What radio, select and toggles have in common: one of several values. Any other is none. */
export const choiceSettings = () => ({ ...input(), options: options() })

type Choice = Parameters<typeof isOffered>[0]

export function readChoice(stored: Stored | undefined, field: Choice): string {
  const value = textOf(stored)
  return isOffered(field, value) ? value : ''
}

export function writeChoice(sent: unknown, field: Choice): Written {
  if (typeof sent !== 'string' && typeof sent !== 'number') return wrongType('text')
  return { stored: readChoice(sent, field) }
}

export const checkChoice = (value: string, field: FieldBase, asked: boolean): Broken =>
  judge(field, asked, value, value === '')
