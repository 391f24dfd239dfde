import { useRef } from 'react'

/** A validation error of a field from the server: messages by broken rule. */
export interface FieldError {
  label: string
  message: Readonly<Record<string, string>>
  /** Errors of nested fields. */
  inside?: readonly NestedError[] | undefined
}

export interface NestedError extends Pick<FieldError, 'label' | 'message'> {
  /** The path inside the value of the outer field: `[1, 'title']` in the second row of a structure. */
  path: readonly (string | number)[]
}

/** Errors by field name. */
export type FieldErrors = Readonly<Record<string, FieldError>>

export const textsOf = ({ message }: Pick<FieldError, 'message'>): string[] => Object.values(message)

/** Errors below a path, with paths relative to it. */
export function errorsBelow(nestedErrors: readonly NestedError[] = [], ...prefix: NestedError['path']): NestedError[] {
  return nestedErrors
    .filter(({ path }) => prefix.every((step, index) => path[index] === step))
    .map(error => ({ ...error, path: error.path.slice(prefix.length) }))
}

/** Errors for a nested form, by field name. */
export function errorsByName(nestedErrors: readonly NestedError[]): FieldErrors {
  const own = nestedErrors.filter(({ path }) => path.length === 1)
  return Object.fromEntries(
    own.map(({ path: [name], ...error }) => [name, { ...error, inside: errorsBelow(nestedErrors, name!) }]),
  )
}

/** Number of these fields that have errors. */
export const countErrors = (fields: object, errors: FieldErrors): number =>
  Object.keys(fields).filter(name => Object.hasOwn(errors, name)).length

/**
 * Hides `required` errors of fields that the user has not edited since opening the form, so that a new row does not
 * start with errors. They appear when the form is opened again.
 */
export function useErrorsOfEditedFields(
  open: string | undefined,
  values: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): FieldErrors {
  const first = useRef({ open, values, errors })
  if (first.current.open !== open) first.current = { open, values, errors }
  const { values: before, errors: previousErrors } = first.current
  const isShown = ([name, { message }]: [string, FieldError]) =>
    values[name] !== before[name] || Object.hasOwn(previousErrors, name) || Object.keys(message).join() !== 'required'
  return Object.fromEntries(Object.entries(errors).filter(isShown))
}
