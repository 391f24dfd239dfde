import { type CollectionQuery, select, type ItemAccessors } from '../../../content/collection.ts'
import type { PageRow } from '../queries.ts'

/**
 * The uuids of the pages that match a query, in its order, without duplicates: a page that is moved meanwhile can occur
 * in two batches. Rows are released after each batch, because all of them together may be larger than the memory.
 */
export async function selectUuids(
  batches: AsyncIterable<PageRow[]>,
  accessors: ItemAccessors<PageRow>,
  query: CollectionQuery,
): Promise<string[]> {
  const found = await select(candidatesIn(batches), accessorsOf(accessors), query)
  return found.map(({ uuid }) => uuid)
}

interface PageCandidate {
  uuid: string
  row: PageRow | undefined
}

async function* candidatesIn(batches: AsyncIterable<PageRow[]>): AsyncGenerator<PageCandidate[]> {
  const sent = new Set<string>()
  for await (const batch of batches) {
    const fresh = batch.flatMap((row): PageCandidate[] => (sent.has(row.uuid) ? [] : [{ uuid: row.uuid, row }]))
    for (const { uuid } of fresh) sent.add(uuid)
    yield fresh
    for (const one of fresh) one.row = undefined
  }
}

function accessorsOf(accessors: ItemAccessors<PageRow>): ItemAccessors<PageCandidate> {
  return {
    id: ({ row }) => accessors.id(row!),
    field: ({ row }, name) => accessors.field(row!, name),
    texts: ({ row }) => accessors.texts(row!),
    weightedFields: accessors.weightedFields,
  }
}
