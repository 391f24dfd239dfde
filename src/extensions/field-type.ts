import type { z } from 'zod'
import type { Field, StoredValue } from '../blueprints/fields/field.ts'

/** The built-in types whose input an own type can have: those that store one value without further fields. */
export type ShownType =
  | (
      | 'color'
      | 'date'
      | 'email'
      | 'hidden'
      | 'link'
      | 'list'
      | 'radio'
      | 'select'
      | 'slug'
      | 'tel'
      | 'text'
      | 'textarea'
    )
  | ('number' | 'range' | 'time' | 'toggle' | 'toggles' | 'url' | 'writer')
  | ListType

type ListType = 'checkboxes' | 'multiselect' | 'tags'

/** The value that a built-in type reads; without one, what is stored. */
type ValueOf<Shown> = [Shown] extends [never]
  ? StoredValue
  : Shown extends ListType
    ? readonly string[]
    : Shown extends 'number' | 'range'
      ? number
      : Shown extends 'toggle'
        ? boolean
        : string

/** The settings of the field in the blueprint. */
export type FieldOf<Settings> = Readonly<Pick<Field, 'name' | 'type' | 'required' | 'translate'>> &
  Readonly<Settings extends z.ZodType ? z.output<Settings> : unknown>

export interface OwnFieldType<
  Shown extends ShownType = ShownType,
  Settings = z.ZodObject | undefined,
  Value = unknown,
> {
  /** The built-in type whose input and settings it has. The own functions get the values that it reads and accepts. */
  shown?: Shown
  /** Further settings that blueprints can give. */
  settings?: Settings
  /** The structure of the stored value, if it has no `shown`. Default: `text`. */
  storedAs?: 'text' | 'list' | 'map'
  /** The TypeScript type of the value in `quoin.types.ts`, such as `number`. Default: that of `shown`. */
  type?: string
  /** The value that the API shows. Not called for empty values. If it throws, the stored value is kept and shown as broken. */
  read?: (stored: ValueOf<Shown>, field: FieldOf<Settings>) => Value
  /** What is stored in place of the sent value. Not called for empty values. `refuse` shows an error at the field. */
  write?: (sent: ValueOf<Shown>, field: FieldOf<Settings>) => StoredValue
  /** Calls `refuse` if the value, in the form of `read`, breaks a rule. Not called for empty values. */
  check?: (value: NoInfer<Value>, field: FieldOf<Settings>) => void
}

/** Declares a field type of an extension. */
export function fieldType<
  const Shown extends ShownType = never,
  Settings extends z.ZodObject | undefined = undefined,
  Value = ValueOf<Shown>,
>(definition: OwnFieldType<Shown, Settings, Value>): AnyOwnFieldType {
  return definition
}

/** A field type without its type parameters. */
export interface AnyOwnFieldType extends Omit<OwnFieldType, 'read' | 'write' | 'check'> {
  read?: (stored: never, field: never) => unknown
  write?: (sent: never, field: never) => StoredValue
  check?: (value: never, field: never) => void
}
