import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { comments } from '../texts/en/comments.ts'
import { addTexts } from '../texts/texts.ts'

// The form does not load them.
addTexts(comments)

/** As many as a page can have. */
const limit = 1000

const read = (id: string) => client.pages.comments.list({ id, limit })

export type Comment = Awaited<ReturnType<typeof read>>['data'][number]

/** All comments of a page. Events reload them when others comment. */
export const commentsQuery = (id: string) =>
  queryOptions({ queryKey: ['comments', id], queryFn: async () => (await read(id)).data })

export interface Thread {
  first: Comment
  replies: Comment[]
}

/** The newest first. */
export function threadsOf(all: readonly Comment[]): Thread[] {
  const byThread = Map.groupBy(all, ({ thread }) => thread)
  return [...byThread.values()]
    .flatMap(inThread => {
      const first = inThread.find(({ id, thread }) => id === thread)
      return first ? [{ first, replies: inThread.filter(comment => comment !== first) }] : []
    })
    .toReversed()
}

export const isOpen = ({ first }: Thread): boolean => first.resolved === null

/** Whether a thread is about a field, or about something in it. */
export const isAbout = ({ first: { field } }: Thread, name: string): boolean =>
  field === name || field.startsWith(`${name}/`)

/** The number of comments in open threads, by field and by block. */
export function countsOf(threads: readonly Thread[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { first, replies } of threads.filter(isOpen))
    for (const step of first.field.split('/')) counts[step] = (counts[step] ?? 0) + 1 + replies.length
  return counts
}
