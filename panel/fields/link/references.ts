import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { client } from '../../app/client.ts'
import type { Entry } from '../picker/sources.ts'

/** So many are asked for at once. */
const most = 100

interface Batch {
  references: Set<string>
  answer: Promise<ReadonlyMap<string, Entry>>
}

const batches = new Map<string, Batch>()

/** What is asked for at the same time, as by the rows of a table, is one question. */
async function ask(reference: string, language: string | undefined): Promise<Entry | null> {
  if (!/^\w+:\/\/[\w-]{1,64}$/.test(reference)) return null
  const key = language ?? ''
  let batch = batches.get(key)
  if (!batch || batch.references.size >= most) {
    const references = new Set<string>()
    const answer = Promise.resolve().then(async () => {
      batches.delete(key)
      const of = [...references].join(',')
      const { data } = await client.site.references({ of, ...(language !== undefined && { language }) })
      return new Map(data.map(one => [one.uuid, one]))
    })
    batches.set(key, (batch = { references, answer }))
  }
  batch.references.add(reference)
  return (await batch.answer).get(reference) ?? null
}

/** What a reference leads to; null if that is gone, or not for this person to see. */
export const referenceQuery = (reference: string, language: string | undefined) =>
  queryOptions({ queryKey: ['references', reference, language], queryFn: () => ask(reference, language) })

/** What was just chosen need not be asked for. */
export function remember(queryClient: QueryClient, entry: Entry, language: string | undefined): void {
  if (entry.uuid) queryClient.setQueryData(referenceQuery(entry.uuid, language).queryKey, entry)
}
