import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { ErrorScreen } from '../../app/shell/states.tsx'
import { t } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { pageQuery } from '../page-query.ts'
import { DeletePageDialog } from './delete.tsx'
import { DuplicateDialog } from './duplicate.tsx'
import { MoveDialog } from './move.tsx'
import { PositionDialog } from './position.tsx'
import type { PageDialogProps } from './props.ts'
import { StatusDialog } from './status.tsx'
import { PageTemplateDialog } from './template.tsx'
import { TitleDialog } from './title.tsx'

export type PageAction =
  | 'title'
  | 'slug'
  | 'status'
  | 'schedule'
  | 'position'
  | 'template'
  | 'duplicate'
  | 'move'
  | 'delete'

interface Props extends Omit<PageDialogProps, 'page'> {
  action: PageAction
  id: string
}

/** The dialog for an action on a page, for use on any screen. */
export function PageDialog({ action, id, ...props }: Props) {
  const { data: page, error } = useQuery(pageQuery(id, props.language))
  if (!page)
    return (
      <Dialog open title={t('pages.loading')} onClose={props.onClose}>
        {error ? <ErrorScreen error={error} /> : <Skeleton lines={3} />}
      </Dialog>
    )
  const Asked = dialogs[action]
  return <Asked {...props} page={page} />
}

const dialogs: Readonly<Record<PageAction, ComponentType<PageDialogProps>>> = {
  title: props => <TitleDialog {...props} focus="title" />,
  slug: props => <TitleDialog {...props} focus="slug" />,
  status: props => <StatusDialog {...props} />,
  schedule: props => <StatusDialog {...props} isScheduling />,
  position: PositionDialog,
  template: PageTemplateDialog,
  duplicate: DuplicateDialog,
  move: MoveDialog,
  delete: DeletePageDialog,
}
