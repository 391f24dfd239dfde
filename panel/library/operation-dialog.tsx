import { t } from '../texts/texts.ts'
import { useTrashDays } from '../trash/undo.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import type { FileOperation } from './operations.ts'
import { PlaceDialog } from './place-dialog.tsx'

interface Props {
  operation: FileOperation
  count: number
  busy: boolean
  onClose: () => void
  /** `place` is the path of the chosen page; null is the site. */
  onConfirm: (place: string | null) => void
}

/** Asks where to move or copy files to, or whether to delete them. */
export function OperationDialog({ operation, count, busy, onClose, onConfirm }: Props) {
  const days = useTrashDays()
  if (operation === 'delete')
    return (
      <ConfirmDialog
        open
        danger
        title={t('library.delete.title', { count })}
        confirm={t('action.delete')}
        busy={busy}
        onClose={onClose}
        onConfirm={() => onConfirm(null)}
      >
        <p>{days ? t('library.delete.trash', { count: days }) : days === 0 && t('library.delete.text')}</p>
      </ConfirmDialog>
    )
  return (
    <PlaceDialog
      title={t(`library.${operation}.title`, { count })}
      description={t(`library.${operation}.text`)}
      confirm={t(`library.${operation}`)}
      busy={busy}
      onClose={onClose}
      onChoose={place => onConfirm(place || null)}
    />
  )
}
