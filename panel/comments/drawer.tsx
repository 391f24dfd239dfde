import { MessagesSquare } from 'lucide-react'
import { useState } from 'react'
import { errorText, hasKey } from '../app/errors.ts'
import type { Draft } from '../editor/draft-state.ts'
import { useIdleValues } from '../editor/idle-values.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Drawer } from '../ui/drawer.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { nameOfPath } from './about.ts'
import { NewThread } from './new-thread.tsx'
import { isAbout, isOpen } from './queries.ts'
import { Thread } from './thread.tsx'
import { useComments } from './use-comments.ts'

interface Props {
  id: string
  /** The fields of the form, by name. */
  labels: Readonly<Record<string, string>>
  draft: Draft
  /** The path of the field or block whose comments are shown; empty for all. */
  field: string
  /** The thread, or a comment in it, that a link leads to. */
  linkedId: string | undefined
  canPublish: boolean
  /** Beside the form, which stays usable; otherwise the drawer covers it. */
  docked: boolean
  onClose: () => void
  onShowAll: () => void
  onOpenField: (path: string) => void
}

/** Threads about a page and its fields. */
export function CommentsDrawer(props: Props) {
  const { id, labels, draft, field, linkedId, canPublish, docked, onClose, onShowAll, onOpenField } = props
  const comments = useComments(id, canPublish)
  const [showsResolved, setShowsResolved] = useState(false)
  const values = useIdleValues(draft)
  const { threads, error } = comments
  const isLinked = ({ first, replies }: NonNullable<typeof threads>[number]) =>
    linkedId !== undefined && [first, ...replies].some(comment => comment.id === linkedId)
  const threadsHere = threads?.filter(thread => field === '' || isAbout(thread, field))
  const shownThreads = threadsHere?.filter(thread => showsResolved || isOpen(thread) || isLinked(thread))
  const nameOf = (path: string) => nameOfPath(path, labels, values)

  return (
    <Drawer open docked={docked} title={t('comments.title')} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {error ? (
          <EmptyState
            small
            icon={MessagesSquare}
            tone="danger"
            text={hasKey(error, 'page.update.permission') ? t('comments.forbidden') : errorText(error)}
          />
        ) : (
          <NewThread key={field} comments={comments} field={field} labels={labels} nameOf={nameOf} />
        )}
        {(field !== '' || threadsHere?.some(thread => !isOpen(thread))) && (
          <div className="flex flex-wrap items-center gap-2">
            {field !== '' && (
              <Button size="small" onClick={onShowAll}>
                {t('comments.all')}
              </Button>
            )}
            {threadsHere?.some(thread => !isOpen(thread)) && (
              <Checkbox label={t('comments.showResolved')} value={showsResolved} onChange={setShowsResolved} />
            )}
          </div>
        )}
        {!threads && !error && <Skeleton className="h-10" lines={3} />}
        {linkedId !== undefined && threads && !threads.some(isLinked) && (
          <EmptyState small icon={MessagesSquare} text={t('comments.gone')} />
        )}
        {shownThreads?.length === 0 && (
          <EmptyState
            small
            icon={MessagesSquare}
            text={t(threadsHere?.length === 0 ? 'comments.empty' : 'comments.empty.open')}
          />
        )}
        <ul aria-label={t('comments.title')} className="flex flex-col gap-3">
          {shownThreads?.map(thread => (
            <Thread
              key={thread.first.id}
              thread={thread}
              comments={comments}
              isLinked={isLinked(thread)}
              about={nameOf(thread.first.field)}
              onAbout={
                (thread.first.field.split('/')[0] ?? '') in labels ? () => onOpenField(thread.first.field) : undefined
              }
            />
          ))}
        </ul>
      </div>
    </Drawer>
  )
}
