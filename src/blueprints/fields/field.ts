import type { z } from 'zod'
import type { Message } from '../../texts.ts'

/** A text in a blueprint: the same for everybody, or by language (`*` for all others). */
export type Text = string | Readonly<Record<string, string>>

/** What every field has, whatever its type. */
export interface FieldBase {
  name: string
  type: string
  label: Text
  width: string
  required: boolean
  disabled: boolean
  translate: boolean
  help?: Text
  default?: unknown
  /** Shown, and asked for, only while other fields have these values. */
  when?: Readonly<Record<string, unknown>>
}

/** A field of a blueprint, checked: the common settings and those of its type. */
export type Field<Settings = Record<string, unknown>> = FieldBase & Settings

/** Rule → what is wrong; empty when all is well. */
export type Broken = Record<string, Message>

/** The text to store, or why the value cannot be one of this field. */
export type Written = { stored: string } | { broken: Broken }

/** One file per type. Nothing here throws, whatever is stored or sent. */
export interface FieldType<Settings = Record<string, unknown>, Value = unknown> {
  /** False for what only decorates a form: nothing is stored. */
  saved: boolean
  /** The settings of its own that a blueprint may give it; unknown ones are refused by the loader. */
  settings: z.ZodType<Settings>
  /** The value the API shows. What cannot be read is shown as empty. */
  read(stored: string | undefined, field: Field<Settings>): Value
  /** The sent value as text. A wrong JSON type is broken, never an empty text: nothing stored is lost. */
  write(sent: unknown, field: Field<Settings>): Written
  /** The rules of the blueprint (required, min, max, pattern, validate …) that the value breaks. */
  check(value: Value, field: Field<Settings>): Broken
}
