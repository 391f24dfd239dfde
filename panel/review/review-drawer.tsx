import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { FieldThreads } from '../comments/field-threads.tsx'
import { OtherThreads } from '../comments/other-threads.tsx'
import { useComments } from '../comments/use-comments.ts'
import { labelsOf } from '../editor/blueprint.ts'
import type { Publishing } from '../editor/changes-bar.tsx'
import type { ContentResource } from '../editor/content-resource.ts'
import { Difference } from '../editor/difference.tsx'
import type { Draft } from '../editor/draft-state.ts'
import { useDefinitions } from '../editor/use-definitions.ts'
import { canPublish, type PageModel } from '../pages/page.ts'
import { refreshPages } from '../pages/page-query.ts'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Drawer } from '../ui/drawer.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.ts'
import { authorOf, Note, type Review } from './note.tsx'
import { SendBackDialog } from './send-back-dialog.tsx'

interface Props {
  id: string
  page: PageModel
  review: Review
  resource: ContentResource
  draft: Draft
  publishing: Publishing
  onClose: () => void
}

/** What has changed, with the buttons to publish it or to send it back. */
export function ReviewDrawer({ id, page, review, resource, draft, publishing, onClose }: Props) {
  const queryClient = useQueryClient()
  const { base, values, changed, isPublishing, lock } = draft.use()
  const definitions = useDefinitions(resource, page.blueprint)
  const labels: Record<string, string> = { title: t('pages.title'), ...labelsOf(page.blueprint) }
  const comments = useComments(id, canPublish(page))
  const [isSendingBack, setSendingBack] = useState(false)
  // The author may have written since the page was opened here.
  useEffect(() => void draft.refresh(), [draft, review.requested])
  const isNew = page.status === 'draft'
  const publish = publishing.kind === 'draft' ? publishing.choices[0]?.publish : draft.publish

  async function decide() {
    const isDone = await publish?.()
    // What stops it is shown by the form behind the drawer.
    onClose()
    if (isDone !== true) return
    if (publishing.kind === 'publish') toast({ tone: 'good', title: t('editor.published') })
    await refreshPages(queryClient)
  }

  return (
    <Drawer
      open
      size="wide"
      title={t('review.title')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={() => setSendingBack(true)}>{t('review.sendBack')}</Button>
          {publish && (
            <Button variant="primary" busy={isPublishing} disabled={lock !== undefined} onClick={() => void decide()}>
              {t('editor.publish')}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <div>
          <p className="font-medium">{t('review.waiting.by', { name: authorOf(review) })}</p>
          <Note text={review.note} />
          <p className="text-sm text-muted">
            {t('review.waiting.ago', { ago: formatRelativeTime(review.requested) })}
            {review.changed && ` ${t('review.changed')}`}
          </p>
        </div>
        {isNew && <Notice>{t('review.new')}</Notice>}
        {!isNew && changed.length === 0 && <p className="text-muted">{t('editor.diff.none')}</p>}
        <dl className="flex flex-col gap-4">
          {changed.map(name => (
            <FieldThreads key={name} comments={comments} name={name} label={labels[name] ?? name} values={values}>
              <Difference field={definitions[name]} before={base[name]} after={values[name]} />
            </FieldThreads>
          ))}
        </dl>
        <OtherThreads comments={comments} shownAbove={changed} labels={labels} values={values} />
      </div>
      {isSendingBack && (
        <SendBackDialog id={id} language={resource.language} onDone={onClose} onClose={() => setSendingBack(false)} />
      )}
    </Drawer>
  )
}
