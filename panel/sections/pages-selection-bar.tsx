import { CircleDot, FolderInput, LayoutTemplate, Rocket, Trash2 } from 'lucide-react'
import { can, useSession } from '../app/session.ts'
import type { BulkAction } from '../pages/bulk/bulk-dialog.tsx'
import { t } from '../texts/texts.ts'
import type { PageItem } from './item.ts'
import { SelectionBar } from './selection-bar.tsx'
import type { ListSelection } from './use-selection.ts'

/** Whether each page permits it is checked on the server. */
const bulkActions = [
  { action: 'status', text: 'pages.status', icon: CircleDot, right: 'pages.changeStatus' },
  { action: 'move', text: 'bulk.move', icon: FolderInput, right: 'pages.move' },
  { action: 'template', text: 'pages.template', icon: LayoutTemplate, right: 'pages.changeTemplate' },
  { action: 'release', text: 'releases.add.to', icon: Rocket, right: 'pages.update' },
  { action: 'delete', text: 'pages.delete.do', icon: Trash2, right: 'pages.delete' },
] as const

interface Props {
  selection: ListSelection<PageItem>
  shownPages: readonly PageItem[]
  onAction: (action: BulkAction) => void
}

/** What the role of the user can do with several pages. */
export function PagesSelectionBar({ selection, shownPages, onAction }: Props) {
  const { user } = useSession()
  const actions = bulkActions
    .filter(({ right }) => can(user, right))
    .map(({ action, text, icon }) => ({ action, text: t(text), icon }))
  return (
    <SelectionBar
      label={t('bulk.actions')}
      selection={selection}
      shownItems={shownPages}
      actions={actions}
      onAction={onAction}
    />
  )
}
