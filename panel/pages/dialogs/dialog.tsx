import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { Failed } from '../../app/shell/states.tsx'
import { t } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type PageModel, pageQuery } from '../page.ts'
import { DeleteDialog } from './delete.tsx'
import { DuplicateDialog } from './duplicate.tsx'
import { MoveDialog } from './move.tsx'
import { PositionDialog } from './position.tsx'
import { StatusDialog } from './status.tsx'
import { TemplateDialog } from './template.tsx'
import { TitleDialog } from './title.tsx'

export type PageAction = 'title' | 'slug' | 'status' | 'position' | 'template' | 'duplicate' | 'move' | 'delete'

export interface PageDialogProps {
  page: PageModel
  language: string | undefined
  onClose: () => void
  /** Where the page is from now on; null if it has gone. */
  onMoved?: ((id: string | null) => void) | undefined
}

interface Props extends Omit<PageDialogProps, 'page'> {
  action: PageAction
  id: string
}

/** What is to be changed about a page, wherever one asks for it. */
export function PageDialog({ action, id, ...props }: Props) {
  const { data: page, error } = useQuery(pageQuery(id, props.language))
  if (!page)
    return (
      <Dialog open title={t('pages.loading')} onClose={props.onClose}>
        {error ? <Failed error={error} /> : <Skeleton lines={3} />}
      </Dialog>
    )
  const Asked = dialogs[action]
  return <Asked {...props} page={page} />
}

const dialogs: Readonly<Record<PageAction, ComponentType<PageDialogProps>>> = {
  title: props => <TitleDialog {...props} focus="title" />,
  slug: props => <TitleDialog {...props} focus="slug" />,
  status: StatusDialog,
  position: PositionDialog,
  template: TemplateDialog,
  duplicate: DuplicateDialog,
  move: MoveDialog,
  delete: DeleteDialog,
}
