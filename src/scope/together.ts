import type { Look } from '../http/look.ts'
import { batched } from '../store/batch.ts'

/**
 * One thing by its reference. What one request asks for at the same time, as for the many pages of a list, is found by one
 * statement, and never again.
 */
export function together<Row>(
  find: (look: Look, references: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (look: Look, reference: string) => Promise<Row | undefined> {
  const known = new WeakMap<Look, (reference: string) => Promise<Row | undefined>>()
  return (look, reference) => {
    let one = known.get(look)
    if (!one) known.set(look, (one = remembering(look, find)))
    return one(reference)
  }
}

function remembering<Row>(
  look: Look,
  find: (look: Look, references: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (reference: string) => Promise<Row | undefined> {
  const load = batched(
    async (_, references) => [...(await find(look, references))],
    ([reference]) => reference,
  )
  const found = new Map<string, Promise<Row | undefined>>()
  return reference => {
    let one = found.get(reference)
    if (!one) found.set(reference, (one = load(look.app.store, reference).then(entry => entry?.[1])))
    return one
  }
}
