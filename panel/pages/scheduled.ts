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
    if (last.status === page.status || page.status !== last.schedule.status) return
    const { title, status } = page
    toast({
      tone: 'good',
      title: t(status === 'draft' ? 'pages.schedule.done.draft' : 'pages.schedule.done', { title }),
      text: t('pages.status.changed', { status: statusLabel(page, status) }),
    })
    void refreshPages(queryClient)
  }, [page, queryClient])
}
