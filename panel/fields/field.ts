import type { ReactNode } from 'react'
import type { NestedError, FieldErrors } from './field-errors.ts'

/** A field as the API describes it in forms: the common properties. Others depend on the type. */
export interface FieldDefinition {
  type: string
  name?: string
  label?: string | null
  /** HTML from the server. Render it with `Html`, which removes unsafe elements. */
  help?: string | null
  required?: boolean
  disabled?: boolean
  hidden?: boolean
  translate?: boolean
  width?: string
  placeholder?: string | null
  before?: string | null
  after?: string | null
  icon?: string | false | null
  autofocus?: boolean
  counter?: boolean
  minlength?: number | null
  maxlength?: number | null
  min?: unknown
  max?: unknown
  when?: Readonly<Record<string, unknown>> | null
  default?: unknown
  [setting: string]: unknown
}

export type FieldDefinitions = Readonly<Record<string, FieldDefinition>>
export type Values = Readonly<Record<string, unknown>>

/** Renders the nested fields of a row, an object or a block. */
export type RenderForm = (
  fields: FieldDefinitions,
  value: Values,
  onChange: (value: Values) => void,
  fieldErrors: FieldErrors,
) => ReactNode

export interface FieldProps<Value = unknown> {
  name: string
  field: FieldDefinition
  /** The value from the API, or as changed since. Undefined if there is none yet. */
  value: Value | undefined
  onChange: (value: Value) => void
  errors?: readonly string[] | undefined
  /** Errors of nested fields. */
  nestedErrors?: readonly NestedError[] | undefined
  disabled: boolean
  /** The content language; undefined on a site with a single language. */
  language: string | undefined
  /** Path of the owner, for pickers and uploads: `/pages/notes+first`, `/site`, `/users/x`. */
  model: string
  renderForm: RenderForm
  /** Current values of the other fields of the form. */
  siblings: () => Values
}

export interface FieldOption {
  value: string
  text: string
  info?: string | null
  icon?: string | null
  disabled?: boolean
}

// ---- settings: blueprints and older servers may send values of any type

export const textIn = (setting: unknown): string | undefined =>
  typeof setting === 'string' && setting !== '' ? setting : undefined

/** A primitive value as text; empty for lists and maps. */
export const primitiveText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

export const numberIn = (setting: unknown): number | undefined => (typeof setting === 'number' ? setting : undefined)

export const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textsIn = (value: unknown): string[] => listIn(value).map(String)

export const optionsIn = ({ options }: FieldDefinition): FieldOption[] =>
  listIn(options).filter((option): option is FieldOption & Values => isMap(option) && 'value' in option)

export const fieldsIn = (fields: unknown): FieldDefinitions => (isMap(fields) ? (fields as FieldDefinitions) : {})
