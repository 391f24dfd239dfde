import type { Wrongs } from '../fields/wrong.ts'
import { equal } from './equal.ts'

/**
 * Which of the things that the server finds wrong a person is told: those in what they have written; and all of them once they
 * have tried to publish.
 */
export interface Told {
  touch: (names: Iterable<string>) => void
  setTried: (isTried: boolean) => void
  forget: () => void
  /** What is told from now on. What is still being written keeps what was said of it: nothing comes and goes with each key. */
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
        // What is the same stays the same object, so that nothing is drawn anew.
        return wrong ? [[name, equal(before[name], wrong) ? before[name]! : wrong] as const] : []
      })
      const isSame = told.length === Object.keys(before).length && told.every(([name, wrong]) => before[name] === wrong)
      return isSame ? before : Object.fromEntries(told)
    },
  }
}
