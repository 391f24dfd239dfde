import { useMemo } from 'react'
import type { Publishing } from '../editor/changes-bar.tsx'
import type { Draft } from '../editor/draft-state.ts'
import { canChangeNow, canPublish, type PageModel } from './page.ts'
import { publishedStatuses, publishPage, statusLabel } from './publish.ts'

/** What becomes of the changes of a page: a draft page is published together with them. */
export function usePublishing(page: PageModel, draft: Draft, language: string | undefined): Publishing {
  return useMemo(() => {
    if (page.status !== 'draft') return { kind: canChangeNow(page) ? 'publish' : 'keep' }
    const canPublishIt = page.options['changeStatus'] === true && canPublish(page)
    const statuses = canPublishIt ? publishedStatuses(page) : []
    return {
      kind: 'draft',
      choices: statuses.map(status => ({
        text: statusLabel(page, status),
        publish: () => publishPage(draft, page, status, language),
      })),
    }
  }, [page, draft, language])
}
