import { useRef } from 'react'

/** What is wrong with a field, as the server says it: the rule that is broken, and a text. */
export interface Wrong {
  label: string
  message: Readonly<Record<string, string>>
  /** What is wrong with the fields inside of it. */
  inside?: readonly WrongInside[] | undefined
}

export interface WrongInside extends Pick<Wrong, 'label' | 'message'> {
  /** The way to its value through the value of the outer field: `[1, 'title']` in the second row of a structure. */
  path: readonly (string | number)[]
}

/** By the names of the fields. */
export type Wrongs = Readonly<Record<string, Wrong>>

export const textsOf = ({ message }: Pick<Wrong, 'message'>): string[] => Object.values(message)

/** What is wrong in one part of a value, as seen from there. */
export function under(inside: readonly WrongInside[] = [], ...way: WrongInside['path']): WrongInside[] {
  return inside
    .filter(({ path }) => way.every((step, at) => path[at] === step))
    .map(one => ({ ...one, path: one.path.slice(way.length) }))
}

/** For a form of the fields inside of another one. */
export function byName(inside: readonly WrongInside[]): Wrongs {
  const own = inside.filter(({ path }) => path.length === 1)
  return Object.fromEntries(own.map(({ path: [name], ...wrong }) => [name, { ...wrong, inside: under(inside, name!) }]))
}

/** How many of these fields are wrong. */
export const countWrong = (fields: object, wrongs: Wrongs): number =>
  Object.keys(fields).filter(name => Object.hasOwn(wrongs, name)).length

/**
 * Whoever has just opened a form for something new is not told that it is empty: what is required is wrong once it was left
 * so, and the form is opened again.
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
