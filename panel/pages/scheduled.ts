import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { t } from '../texts/texts.ts'
import { toast } from '../ui/toast.ts'
import type { PageModel } from './page.ts'
import { refreshPages } from './page-query.ts'
import { statusLabel } from './publish.ts'

/** Tells the user when a scheduled change of the open page has taken effect, and refreshes all lists. */
export function useScheduled(page: PageModel | undefined): void {
  const queryClient = useQueryClient()
  const before = useRef<PageModel>(undefined)
  useEffect(() => {
    const last = before.current
    before.current = page
    if (!page || last?.uuid !== page.uuid || !last.schedule || page.schedule) return
    const { status, publishChanges } = last.schedule
    const hasNewStatus = last.status !== status
    if (page.status !== status || !(hasNewStatus || publishChanges)) return
    if (last.revision === page.revision) return // the schedule was removed by hand
    const isPublished = status !== 'draft' && (last.status === 'draft' || publishChanges)
    const { title } = page
    toast({
      tone: 'good',
      title: isPublished
        ? t('pages.schedule.done', { title })
        : t(status === 'draft' ? 'pages.schedule.done.draft' : 'pages.schedule.done.status', { title }),
      text: hasNewStatus ? t('pages.status.changed', { status: statusLabel(page, status) }) : undefined,
    })
    void refreshPages(queryClient)
  }, [page, queryClient])
}
