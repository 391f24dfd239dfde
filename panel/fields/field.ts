import type { ReactNode } from 'react'
import type { WrongInside, Wrongs } from './wrong.ts'

/** A field as the API describes it to forms: what all have; the rest depends on its type. */
export interface FieldDefinition {
  type: string
  name?: string
  label?: string | null
  /** HTML, from the server. */
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

/** Fields inside of a field: how a row, an object or a block is edited. */
export type Form = (
  fields: FieldDefinitions,
  value: Values,
  onChange: (value: Values) => void,
  wrongs: Wrongs,
) => ReactNode

export interface FieldProps<Value = unknown> {
  name: string
  field: FieldDefinition
  /** As the API sent it, or as it was changed since. What is not there yet is undefined. */
  value: Value | undefined
  onChange: (value: Value) => void
  errors?: readonly string[] | undefined
  /** What is wrong with the fields inside of it. */
  inside?: readonly WrongInside[] | undefined
  disabled: boolean
  /** The language of the content; undefined on a site that has but one. */
  language: string | undefined
  /** Where the owner is found, for pickers and uploads: `/pages/notes+first`, `/site`, `/users/x`. */
  model: string
  form: Form
  /** What the other fields of the form have at this moment. */
  siblings: () => Values
}

/** One of the values that a field offers. */
export interface FieldOption {
  value: string
  text: string
  info?: string | null
  icon?: string | null
  disabled?: boolean
}

// ---- settings, whatever a blueprint or an older server sends

export const textIn = (setting: unknown): string | undefined =>
  typeof setting === 'string' && setting !== '' ? setting : undefined

/** Any value as a text: lists and maps have none. */
export const wordIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

export const numberIn = (setting: unknown): number | undefined => (typeof setting === 'number' ? setting : undefined)

export const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textsIn = (value: unknown): string[] => listIn(value).map(String)

export const optionsIn = ({ options }: FieldDefinition): FieldOption[] =>
  listIn(options).filter((option): option is FieldOption & Values => isMap(option) && 'value' in option)

export const fieldsIn = (fields: unknown): FieldDefinitions => (isMap(fields) ? (fields as FieldDefinitions) : {})
