import type { Wrongs } from '../fields/wrong.ts'
import { equal } from './equal.ts'

/**
 * Decides which validation errors are shown: those of fields that the user has edited, and all of them after an attempt
 * to publish.
 */
export interface Told {
  touch: (names: Iterable<string>) => void
  setTried: (isTried: boolean) => void
  forget: () => void
  /**
   * The errors to show now. A field with unsent changes keeps its previous error, so that errors do not flicker while
   * typing.
   */
  next: (before: Wrongs, all: Wrongs, writing: ReadonlySet<string>) => Wrongs
}

export function createTold(): Told {
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
      const told = [...names].flatMap(name => {
        const wrong = writing.has(name) ? before[name] : tried || touched.has(name) ? all[name] : undefined
        // Return the same object for an equal error, so that nothing renders again.
        return wrong ? [[name, equal(before[name], wrong) ? before[name]! : wrong] as const] : []
      })
      const isSame = told.length === Object.keys(before).length && told.every(([name, wrong]) => before[name] === wrong)
      return isSame ? before : Object.fromEntries(told)
    },
  }
}
