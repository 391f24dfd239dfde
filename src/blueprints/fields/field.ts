import type { z } from 'zod'
import type { Message, TranslatedText } from '../../platform/texts.ts'

/** A string, a map language → string (`*` for all other languages), or a key of the built-in translations. */
export type BlueprintText = string | TranslatedText | Message

/** The property of a field that has its type. A symbol, so that spreading copies it and JSON leaves it out. */
export const fieldTypeKey = Symbol('field type')

/** Settings that every field has, whatever its type. */
export interface FieldBase {
  readonly [fieldTypeKey]: FieldType
  name: string
  type: string
  label: BlueprintText
  width: string
  required: boolean
  disabled: boolean
  translate: boolean
  /** Anonymous clients never see it, also not by filters, sorting or search. */
  private: boolean
  help?: BlueprintText
  default?: unknown
  /** The field is shown and required only while other fields have these values. */
  when?: Readonly<Record<string, unknown>>
}

/** A validated field of a blueprint: the common settings and those of its type. */
export type Field<Settings = Record<string, unknown>> = FieldBase & Settings

/** The type that the loader found for the field: built in, or of an extension. */
export const fieldTypeOf = (field: FieldBase): FieldType => field[fieldTypeKey]

/** The built-in type whose settings and input the field has: its own type, unless that is one of an extension. */
export const builtInTypeOf = (field: FieldBase): string => field[fieldTypeKey].own?.shown ?? field.type

/** The fields of a form by their lower-case names, in the order of the blueprint. */
export type Fields = ReadonlyMap<string, Field>

/** A block type: its fields, and how the panel shows it. */
export interface Fieldset {
  type: string
  name: BlueprintText
  fields: Fields
  /** Names of fields with an invalid definition. Their stored values stay unchanged. */
  broken: ReadonlySet<string>
  [setting: string]: unknown
}

/**
 * Settings that contain further fields. The loader validates them like the fields of a form and always adds them to the
 * field in this shape: as an empty map where the blueprint has none. The schemas of the field types do not include
 * them.
 */
export interface NestedFields {
  /** Of a row of a structure, or of an object. */
  fields: Fields
  /** By the type of the block, in the order of the blueprint; the built-in types where the blueprint names none. */
  fieldsets: ReadonlyMap<string, Fieldset>
  /** The settings of a row of a layout. */
  settings: Fieldset
}

/**
 * The stored form of a value: text or, for structured values, a list or map. A top-level list or map is stored as JSON;
 * inside another value it is not encoded again.
 */
export type StoredValue =
  | string
  | number
  | boolean
  | null
  | readonly StoredValue[]
  | { readonly [name: string]: StoredValue }

/**
 * What the API shows in place of a stored value that cannot be read. The stored value stays until a client explicitly
 * overwrites it.
 */
export interface BrokenValue {
  /**
   * `unreadable`: not in the format of the field. `tooLarge`: parsing it would exceed the budget of a request; `quoin
   * check --data --repair` can convert it.
   */
  readonly $broken: 'unreadable' | 'tooLarge'
  /** Length of the stored value, in characters. */
  readonly length: number
  /** The beginning of the stored value. */
  readonly text: string
}

/** Rule → error message; empty if the value is valid. */
export type RuleErrors = Record<string, Message>

/** A nested field that breaks a rule. */
export interface NestedError {
  /** The path to its value inside the value of the outer field: `[1, 'title']` in the second row of a structure. */
  path: readonly (string | number)[]
  field: Field
  errors: RuleErrors
}

/** What to store, or why the field refuses the value. */
export type WriteResult = { stored: StoredValue } | { errors: RuleErrors }

/** What forms and generated types need to know of a field type of an extension. */
export interface OwnType {
  extension: string
  /** The built-in type whose settings and input it has; undefined if it has its own input. */
  shown: string | undefined
  /** The TypeScript type of its value. */
  typing: string | undefined
}

/** A field type. Its functions never throw, whatever is stored or sent. */
export interface FieldType<Settings = Record<string, unknown>, Value = unknown> {
  /** False for fields that only decorate a form: nothing is stored. */
  saved: boolean
  /** The schema of the settings that this type adds, with their defaults; the loader refuses unknown settings. */
  readonly settings: z.ZodObject
  /** Which of its settings contain further fields. */
  nested: readonly (keyof NestedFields)[]
  /** The structure of the stored value. Lists and maps can also be stored as text that contains one. */
  storedAs: 'text' | 'list' | 'map'
  /** Set for a type of an extension. */
  own?: OwnType
  /** The value that the API shows; a list or map that cannot be parsed is a broken value. */
  read(stored: StoredValue | undefined, field: Field<Settings>): Value | BrokenValue
  /**
   * Converts a sent value, which is never null. A value of the wrong JSON type is refused instead of stored as empty,
   * so that no stored value is lost. Parts of `before` (the stored value) that the caller was not shown or may not
   * change are kept; the list and map types do that.
   */
  write(sent: unknown, field: Field<Settings>, before?: StoredValue): WriteResult
  /** The same for a long list, in steps: the caller yields to the event loop between them. */
  writeInSteps?(sent: readonly unknown[], field: Field<Settings>, before?: StoredValue): Generator<void, WriteResult>
  /**
   * The rules of the blueprint (required, min, max, pattern, validate …) that a value, in the form of `read`, breaks.
   * `isActive` is false while the field's `when` does not match: the field may then stay empty.
   */
  check(value: Value, field: Field<Settings>, isActive?: boolean): RuleErrors
  /** All nested fields that break a rule, at any depth. `check` reports only the first. */
  nestedErrors?(value: Value, field: Field<Settings>): Iterable<NestedError>
}

interface FieldTypeOptions<Shape extends z.core.$ZodShape, Key extends keyof NestedFields, Value> extends Pick<
  FieldType<z.output<z.ZodObject<Shape>> & Pick<NestedFields, Key>, Value>,
  'read' | 'write' | 'writeInSteps' | 'check' | 'nestedErrors'
> {
  storedAs?: FieldType['storedAs']
  settings: () => z.ZodObject<Shape>
  saved?: boolean
  nested?: readonly Key[]
}

/** The schema is created when a blueprint first needs it, which keeps the start of the process fast. */
export function fieldType<Shape extends z.core.$ZodShape, Value, Key extends keyof NestedFields = never>({
  settings,
  saved = true,
  nested = [],
  storedAs = 'text',
  ...rest
}: FieldTypeOptions<Shape, Key, Value>): FieldType<z.output<z.ZodObject<Shape>> & Pick<NestedFields, Key>, Value> {
  let schema: z.ZodObject<Shape> | undefined
  return {
    saved,
    get settings() {
      return (schema ??= settings())
    },
    nested,
    storedAs,
    ...rest,
  }
}
