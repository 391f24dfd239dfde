import { useMutation, useQueryClient } from '@tanstack/react-query'
import { MessageSquareReply, MessageSquareText } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { client } from '../app/client.ts'
import type { Publishing } from '../editor/changes-bar.tsx'
import type { ContentResource } from '../editor/content-resource.ts'
import type { Draft } from '../editor/draft-state.ts'
import { canPublish, type PageModel } from '../pages/page.ts'
import { refreshPages } from '../pages/page-query.ts'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.ts'
import { authorOf, Note, type Review } from './note.tsx'

/** Lazy, because of the code that compares texts. */
const ReviewDrawer = lazy(async () => ({ default: (await import('./review-drawer.tsx')).ReviewDrawer }))

interface Props {
  id: string
  page: PageModel
  review: Review
  resource: ContentResource
  draft: Draft
  publishing: Publishing
}

/** The state of a review: waiting or returned. Its author can remove it, and a user who may publish can open it while it waits. */
export function ReviewNotice({ id, page, review, resource, draft, publishing }: Props) {
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const remove = useMutation({
    mutationFn: () => client.pages.review.withdraw({ id, language: resource.language }),
    onSuccess: () => {
      if (isWaiting) toast(t('review.withdrawn'))
      return refreshPages(queryClient)
    },
  })
  const { state, isOwn } = review
  const isWaiting = state === 'waiting'
  const canReview = isWaiting && canPublish(page)
  return (
    <div className="pb-5">
      <Notice
        tone={isWaiting ? 'info' : 'warn'}
        icon={isWaiting ? MessageSquareText : MessageSquareReply}
        title={titleOf(review)}
        action={
          <>
            {isOwn && (
              <Button size="small" busy={remove.isPending} onClick={() => remove.mutate()}>
                {t(isWaiting ? 'review.withdraw' : 'review.dismiss')}
              </Button>
            )}
            {canReview && (
              <Button size="small" variant="primary" onClick={() => setOpen(true)}>
                {t('review.open')}
              </Button>
            )}
          </>
        }
      >
        <Note text={isWaiting ? review.note : review.answer} />
        <p className="text-sm text-muted">
          {isWaiting
            ? t(isOwn ? 'review.waiting.own' : 'review.waiting.ago', { ago: formatRelativeTime(review.requested) })
            : review.answered && formatRelativeTime(review.answered)}
          {isWaiting && review.changed && ` ${t('review.changed')}`}
        </p>
      </Notice>
      <Suspense>
        {isOpen && canReview && (
          <ReviewDrawer
            id={id}
            page={page}
            review={review}
            resource={resource}
            draft={draft}
            publishing={publishing}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </div>
  )
}

function titleOf(review: Review): string {
  if (review.state === 'returned')
    return t('review.returned', { name: review.answeredBy?.username || t('editor.lock.someone') })
  return review.isOwn ? t('review.waiting') : t('review.waiting.by', { name: authorOf(review) })
}
