import { errorText } from '../app/errors.ts'
import { t } from '../texts/texts.ts'
import { nameOfPath } from './about.ts'
import { NewThread } from './new-thread.tsx'
import { isAbout, isOpen } from './queries.ts'
import { Thread } from './thread.tsx'
import type { Comments } from './use-comments.ts'

interface Props {
  comments: Comments
  /** The fields whose threads are shown elsewhere. */
  shownAbove: readonly string[]
  labels: Readonly<Record<string, string>>
  values: Readonly<Record<string, unknown>>
}

/** The open threads about a page and its other fields. */
export function OtherThreads({ comments, shownAbove, labels, values }: Props) {
  const { threads, error } = comments
  const otherThreads = threads?.filter(thread => isOpen(thread) && !shownAbove.some(name => isAbout(thread, name)))
  const nameOf = (path: string) => nameOfPath(path, labels, values)
  return (
    <section aria-label={t('comments.title')} className="flex max-w-[34rem] flex-col gap-3 border-t pt-4">
      <h3 className="font-medium">{t('comments.title')}</h3>
      {error ? (
        <p className="text-danger">{errorText(error)}</p>
      ) : (
        <NewThread comments={comments} field="" labels={labels} nameOf={nameOf} />
      )}
      {otherThreads && otherThreads.length > 0 && (
        <ul className="flex flex-col gap-3">
          {otherThreads.map(thread => (
            <Thread key={thread.first.id} thread={thread} comments={comments} about={nameOf(thread.first.field)} />
          ))}
        </ul>
      )}
    </section>
  )
}
