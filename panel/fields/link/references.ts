import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { client } from '../../app/client.ts'
import type { PickerEntry } from '../picker/sources.ts'

/** Maximum number of references in a request. */
const maxPerRequest = 100

interface Batch {
  references: Set<string>
  answer: Promise<ReadonlyMap<string, PickerEntry>>
}

const batches = new Map<string, Batch>()

/** Batches the references of the same tick, such as those of the rows of a table, into one request. */
async function readReference(reference: string, language: string | undefined): Promise<PickerEntry | null> {
  if (!/^\w+:\/\/[\w-]{1,64}$/.test(reference)) return null
  const key = language ?? ''
  let batch = batches.get(key)
  if (!batch || batch.references.size >= maxPerRequest) {
    const references = new Set<string>()
    const answer = Promise.resolve().then(async () => {
      batches.delete(key)
      const of = [...references].join(',')
      const { data } = await client.site.references({ of, ...(language !== undefined && { language }) })
      return new Map(data.map(entry => [entry.uuid, entry]))
    })
    batches.set(key, (batch = { references, answer }))
  }
  batch.references.add(reference)
  return (await batch.answer).get(reference) ?? null
}

/** The target of a reference; null if it does not exist or is not visible to the user. */
export const referenceQuery = (reference: string, language: string | undefined) =>
  queryOptions({ queryKey: ['references', reference, language], queryFn: () => readReference(reference, language) })

/** Puts a chosen entry into the query cache, so that it is not requested. */
export function cacheReference(queryClient: QueryClient, entry: PickerEntry, language: string | undefined): void {
  if (entry.uuid) queryClient.setQueryData(referenceQuery(entry.uuid, language).queryKey, entry)
}
