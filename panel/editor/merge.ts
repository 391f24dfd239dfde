import { equal } from './equal.ts'
import type { Content } from './thing.ts'

/** The names of what is not the same. */
export function differing(one: Content, other: Content): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(name => !equal(one[name], other[name]))
}

/**
 * What is written here over what has been published since: what nobody has touched here is theirs. What both have changed,
 * each in their own way, stays mine and is named.
 */
export function merge({
  mine,
  old,
  theirs,
}: Record<'mine' | 'old' | 'theirs', Content>): [Content, collided: string[]] {
  const collided: string[] = []
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])]
  const merged = names.map(name => {
    const isMine = !equal(mine[name], old[name])
    if (isMine && !equal(theirs[name], old[name]) && !equal(theirs[name], mine[name])) collided.push(name)
    // What is the same stays the same object, so that nothing is drawn anew.
    return [name, isMine || equal(mine[name], theirs[name]) ? mine[name] : theirs[name]] as const
  })
  return [Object.fromEntries(merged), collided]
}
