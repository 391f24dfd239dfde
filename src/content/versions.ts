import { changesOf } from './changes/api.ts'
import { historyOf } from './history/api.ts'
import type { Noun } from './versioned.ts'

/** What every noun with contents has: changes that are not published yet, and a history. To be mounted under its address. */
export function versionsOf<Params>(noun: Noun<Params>) {
  return { changes: changesOf(noun), history: historyOf(noun) }
}
