import { useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { errorText, hasKey } from '../app/errors.ts'
import { toast } from '../ui/toast.ts'
import { type Comment, commentsQuery, threadsOf } from './queries.ts'

export type Comments = ReturnType<typeof useComments>

/** The threads of a page, and what can be done with them. */
export function useComments(id: string, canPublish: boolean) {
  const queryClient = useQueryClient()
  const { data, error } = useQuery(commentsQuery(id))
  const { queryKey } = commentsQuery(id)

  /** Shows the result; a refusal is thrown. */
  async function run<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } finally {
      await queryClient.invalidateQueries({ queryKey })
    }
  }
  const runOrReport = (work: Promise<unknown>) =>
    void run(work).catch(problem => {
      // Another account has deleted it: the reloaded list shows that.
      if (!hasKey(problem, 'page.comment.notFound')) toast({ tone: 'danger', title: errorText(problem) })
    })

  return {
    id,
    canPublish,
    error,
    threads: data && threadsOf(data),
    add: (text: string, field: string) => run(client.pages.comments.create({ id }, { text, field })),
    reply: (text: string, thread: string) => run(client.pages.comments.create({ id }, { text, thread })),
    edit: ({ id: comment }: Comment, text: string) => run(client.pages.comments.change({ id, comment }, { text })),
    resolve: ({ id: comment }: Comment, resolved: boolean) =>
      runOrReport(client.pages.comments.change({ id, comment }, { resolved })),
    remove: ({ id: comment }: Comment) => runOrReport(client.pages.comments.delete({ id, comment })),
  }
}
