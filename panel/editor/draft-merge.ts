import type { Content, SavedDraft } from './content-resource.ts'
import { type Collision, merge } from './merge.ts'

/** Changes by others to the same values, until the user chooses which ones to keep. */
export interface Conflict {
  collisions: Collision[]
  /** The merges that led to the collisions, in order. They are repeated with the choices of the user. */
  merges: { old: Content; theirs: Content }[]
}

interface DraftValues {
  /** The values in the form. */
  mine: Content
  /** The draft on the server, as last read or written. */
  server: Content
  /** The published values. */
  base: Content
}

/** Merges a newly read draft into the form. */
export function mergeSavedDraft({ mine, server, base }: DraftValues, saved: SavedDraft) {
  const draft = { ...base, ...Object.fromEntries(saved.fields.map(name => [name, saved.content[name]])) }
  const merges: Conflict['merges'] = [
    { old: server, theirs: draft },
    // Someone published fields that the draft changes.
    ...(saved.conflicts.length > 0 ? [{ old: { ...base, ...saved.base }, theirs: base }] : []),
  ]
  const collisions: Collision[] = []
  let values = mine
  for (const step of merges) {
    const merged = merge({ mine: values, ...step })
    values = merged.values
    collisions.push(...merged.collisions)
  }
  return { draft, values, collisions, merges }
}

/** Adds collisions to those that are not resolved yet. */
export function withCollisions(conflict: Conflict | undefined, collisions: Collision[], ...merges: Conflict['merges']) {
  const keys = new Set(collisions.map(({ key }) => key))
  const all = [...(conflict?.collisions ?? []).filter(({ key }) => !keys.has(key)), ...collisions]
  return all.length > 0 ? { collisions: all, merges: [...(conflict?.merges ?? []), ...merges] } : undefined
}

/** Returns the same array if nothing changed, so that nothing renders again. */
export function changedNow(
  changed: readonly string[],
  touched: readonly string[],
  isChanged: (name: string) => boolean,
) {
  const left = touched.filter(name => !isChanged(name) && changed.includes(name))
  const joined = touched.filter(name => isChanged(name) && !changed.includes(name))
  if (left.length + joined.length === 0) return changed
  return [...changed.filter(name => !left.includes(name)), ...joined]
}
