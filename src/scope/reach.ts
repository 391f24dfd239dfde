import type { Look } from '../http/look.ts'

/** So often all queries of one request together look into the store. */
const mostReads = 200

/** What the queries of one request have read, and how much more they may. */
export interface Reach {
  look: Look
  /** What was read under this name before, or else what is read now. Throws when there has been enough: the query gives nothing. */
  read: <Value>(name: string, load: () => Promise<Value>) => Promise<Value>
}

const reaches = new WeakMap<Look, Reach>()

export function reachOf(look: Look): Reach {
  let reach = reaches.get(look)
  if (!reach) reaches.set(look, (reach = createReach(look)))
  return reach
}

function createReach(look: Look): Reach {
  const known = new Map<string, Promise<unknown>>()
  return {
    look,
    read<Value>(name: string, load: () => Promise<Value>) {
      let found = known.get(name) as Promise<Value> | undefined
      if (!found) {
        if (known.size >= mostReads) throw new Error('These queries read more than they may.')
        known.set(name, (found = load()))
      }
      return found
    },
  }
}
