import type { FieldErrors } from '../fields/field-errors.ts'
import { equal } from './equal.ts'

/**
 * Decides which validation errors are shown: those of fields that the user has edited, and all of them after an attempt
 * to publish.
 */
export interface VisibleErrors {
  touch: (names: Iterable<string>) => void
  setTried: (isTried: boolean) => void
  forget: () => void
  /**
   * The errors to show now. A field with unsent changes keeps its previous error, so that errors do not flicker while
   * typing.
   */
  next: (before: FieldErrors, all: FieldErrors, writing: ReadonlySet<string>) => FieldErrors
}

export function createVisibleErrors(): VisibleErrors {
  const touched = new Set<string>()
  let tried = false
  return {
    touch(names) {
      for (const name of names) touched.add(name)
    },
    setTried(isTried) {
      tried = isTried
    },
    forget() {
      touched.clear()
      tried = false
    },
    next(before, all, writing) {
      const names = new Set([...Object.keys(all), ...Object.keys(before)])
      const visible = [...names].flatMap(name => {
        const error = writing.has(name) ? before[name] : tried || touched.has(name) ? all[name] : undefined
        // Return the same object for an equal error, so that nothing renders again.
        return error ? [[name, equal(before[name], error) ? before[name]! : error] as const] : []
      })
      const isSame =
        visible.length === Object.keys(before).length && visible.every(([name, error]) => before[name] === error)
      return isSame ? before : Object.fromEntries(visible)
    },
  }
}
