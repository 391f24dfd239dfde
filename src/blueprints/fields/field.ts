import type { z } from 'zod'
import type { Message, Words } from '../../platform/texts.ts'

/** A text in a blueprint: the same for everybody, by language (`*` for all others), or one of our own. */
export type Text = string | Words | Message

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

/** The fields of a form by their names in small letters, in the order of the blueprint. */
export type Fields = ReadonlyMap<string, Field>

/** A kind of block: its fields, and what the panel shows of it. */
export interface Fieldset {
  type: string
  name: Text
  fields: Fields
  /** Names of fields whose description is wrong: what is stored for them is kept. */
  broken: ReadonlySet<string>
  [setting: string]: unknown
}

/**
 * The settings that hold further fields. The loader checks those like the fields of a form and puts them into the field
 * in this shape, always: an empty map where the blueprint has none. The schemas of the types do not know them.
 */
export interface Nested {
  /** Of a row of a structure, or of an object. */
  fields: Fields
  /** By the type of the block, in the order of the blueprint; the built-in ones where the blueprint names none. */
  fieldsets: ReadonlyMap<string, Fieldset>
  /** What a row of a layout can be given. */
  settings: Fieldset
}

/**
 * What is kept of a value: a text, or, of a value with parts, a list or a map. On its own a list or map is stored as
 * JSON; inside another value it stays what it is.
 */
export type Stored = string | number | boolean | null | readonly Stored[] | { readonly [name: string]: Stored }

/**
 * What the API shows in the place of a stored value that cannot be read: it is there, and it stays until somebody writes
 * over it on purpose.
 */
export interface BrokenValue {
  /** `tooLarge`: reading it would take longer than a request may; a repair can. */
  readonly $broken: 'unreadable' | 'tooLarge'
  /** Of what is stored, in letters. */
  readonly length: number
  /** How it begins. */
  readonly text: string
}

/** Rule → what is wrong; empty when all is well. */
export type Broken = Record<string, Message>

/** A field inside of another one that breaks a rule. */
export interface Inside {
  /** The way to its value through the value of the outer field: `[1, 'title']` in the second row of a structure. */
  path: readonly (string | number)[]
  field: Field
  broken: Broken
}

/** What to store, or why the value cannot be one of this field. */
export type Written = { stored: Stored } | { broken: Broken }

/** One file per type. Nothing here throws, whatever is stored or sent. */
export interface FieldType<Settings = Record<string, unknown>, Value = unknown> {
  /** False for what only decorates a form: nothing is stored. */
  saved: boolean
  /** The settings of its own that a blueprint may give it, with their defaults; unknown ones are refused by the loader. */
  readonly settings: z.ZodObject
  /** Which of its settings hold further fields. */
  nested: readonly (keyof Nested)[]
  /** What is stored of a value. Lists and maps can also be found as the text of one. */
  keeps: 'text' | 'list' | 'map'
  /** The value the API shows; a value of lists and maps that cannot be read is broken. */
  read(stored: Stored | undefined, field: Field<Settings>): Value | BrokenValue
  /**
   * A sent value, never null. A wrong JSON type is refused, never an empty text: nothing stored is lost. What was stored
   * `before` stays as far as the caller was not shown it, or may not change it; the types of lists and maps see to that.
   */
  write(sent: unknown, field: Field<Settings>, before?: Stored): Written
  /**
   * The rules of the blueprint (required, min, max, pattern, validate …) that a value, as `read` gives it, breaks. A field
   * that is not asked for, because its `when` does not hold, may stay empty.
   */
  check(value: Value, field: Field<Settings>, asked?: boolean): Broken
  /** All fields inside of this one that break a rule, one after the other, however deep. `check` tells of the first. */
  inside?(value: Value, field: Field<Settings>): Iterable<Inside>
}

/** How types with nested fields find the types of those. Undefined for a type that does not exist. */
export type FindType = (name: string) => FieldType | undefined

interface Described<Shape extends z.core.$ZodShape, Key extends keyof Nested, Value> extends Pick<
  FieldType<z.output<z.ZodObject<Shape>> & Pick<Nested, Key>, Value>,
  'read' | 'write' | 'check' | 'inside'
> {
  keeps?: FieldType['keeps']
  settings: () => z.ZodObject<Shape>
  saved?: boolean
  nested?: readonly Key[]
}

/** Its schema is made when a blueprint needs it, not at start. */
export function fieldType<Shape extends z.core.$ZodShape, Value, Key extends keyof Nested = never>({
  settings,
  saved = true,
  nested = [],
  keeps = 'text',
  ...rest
}: Described<Shape, Key, Value>): FieldType<z.output<z.ZodObject<Shape>> & Pick<Nested, Key>, Value> {
  let schema: z.ZodObject<Shape> | undefined
  return {
    saved,
    get settings() {
      return (schema ??= settings())
    },
    nested,
    keeps,
    ...rest,
  }
}
