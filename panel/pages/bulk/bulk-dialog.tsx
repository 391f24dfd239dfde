import { useState } from 'react'
import { t } from '../../texts/texts.ts'
import { BulkDelete } from './delete.tsx'
import { BulkMove } from './move.tsx'
import { Results } from './results.tsx'
import { type SelectedPage, useBulkOperation } from './use-bulk-operation.ts'
import { BulkRelease } from './release.tsx'
import { BulkStatus } from './status.tsx'
import { BulkTemplate } from './template.tsx'

export type BulkAction = 'status' | 'move' | 'template' | 'release' | 'delete'

interface Props {
  action: BulkAction
  pages: readonly SelectedPage[]
  language: string | undefined
  /** `left` are the pages that were not changed, or may not have been; undefined if nothing was started. */
  onClose: (left?: readonly string[]) => void
}

const forms = {
  status: BulkStatus,
  move: BulkMove,
  template: BulkTemplate,
  release: BulkRelease,
  delete: BulkDelete,
}

/** Asks what to do with the selected pages, does it, and shows the result for each page. */
export function BulkDialog({ action, pages: selected, language, onClose }: Props) {
  // The list is refreshed meanwhile; the dialog keeps the pages it began with.
  const [pages] = useState(selected)
  const bulk = useBulkOperation()
  const Form = forms[action]
  const title = t(`bulk.${action}.title`, { count: pages.length })
  const left = () =>
    bulk.stage === 'undone' ? [] : bulk.results.filter(({ state }) => ['refused', 'unknown', 'stopped'].includes(state))
  if (bulk.stage !== 'idle')
    return <Results title={title} bulk={bulk} onClose={() => onClose(left().map(({ page }) => page.id))} />
  return (
    <Form
      title={title}
      pages={pages}
      language={language}
      onClose={() => onClose()}
      onStart={operation => void bulk.start(pages, operation)}
    />
  )
}
