import { useRef } from 'react'

/** A validation error of a field from the server: messages by broken rule. */
export interface Wrong {
  label: string
  message: Readonly<Record<string, string>>
  /** Errors of nested fields. */
  inside?: readonly WrongInside[] | undefined
}

export interface WrongInside extends Pick<Wrong, 'label' | 'message'> {
  /** The path inside the value of the outer field: `[1, 'title']` in the second row of a structure. */
  path: readonly (string | number)[]
}

/** Errors by field name. */
export type Wrongs = Readonly<Record<string, Wrong>>

export const textsOf = ({ message }: Pick<Wrong, 'message'>): string[] => Object.values(message)

/** Errors below a path, with paths relative to it. */
export function under(inside: readonly WrongInside[] = [], ...way: WrongInside['path']): WrongInside[] {
  return inside
    .filter(({ path }) => way.every((step, at) => path[at] === step))
    .map(one => ({ ...one, path: one.path.slice(way.length) }))
}

/** Errors for a nested form, by field name. */
export function byName(inside: readonly WrongInside[]): Wrongs {
  const own = inside.filter(({ path }) => path.length === 1)
  return Object.fromEntries(own.map(({ path: [name], ...wrong }) => [name, { ...wrong, inside: under(inside, name!) }]))
}

/** Number of these fields that have errors. */
export const countWrong = (fields: object, wrongs: Wrongs): number =>
  Object.keys(fields).filter(name => Object.hasOwn(wrongs, name)).length

/**
 * Hides `required` errors of fields that the user has not edited since opening the form, so that a new row does not
 * start with errors. They appear when the form is opened again.
 */
export function useLenient(
  open: string | undefined,
  values: Readonly<Record<string, unknown>>,
  wrongs: Wrongs,
): Wrongs {
  const first = useRef({ open, values, wrongs })
  if (first.current.open !== open) first.current = { open, values, wrongs }
  const { values: before, wrongs: known } = first.current
  const isNews = ([name, { message }]: [string, Wrong]) =>
    values[name] !== before[name] || Object.hasOwn(known, name) || Object.keys(message).join() !== 'required'
  return Object.fromEntries(Object.entries(wrongs).filter(isNews))
}
