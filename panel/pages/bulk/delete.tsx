import { useState } from 'react'
import { client } from '../../app/client.ts'
import { clearDrafts } from '../../editor/open-drafts.ts'
import { t } from '../../texts/texts.ts'
import { useTrashDays } from '../../trash/undo.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { pageIdOf, uuidIdOf } from '../page.ts'
import type { BulkFormProps } from './props.ts'
import type { BulkOperation } from './use-bulk-operation.ts'

export function BulkDelete({ title, onClose, onStart }: BulkFormProps) {
  const days = useTrashDays()
  const [force, setForce] = useState(false)

  const operation: BulkOperation = async page => {
    await client.pages.delete({ id: uuidIdOf(page) }, { force })
    clearDrafts(`/pages/${pageIdOf(page)}`)
    return { path: null, undo: days === 0 ? undefined : () => restoreByUuid(page.uuid) }
  }

  return (
    <ConfirmDialog
      open
      danger
      title={title}
      confirm={t('pages.delete.confirm')}
      onClose={onClose}
      onConfirm={() => onStart(operation)}
    >
      <p>{days ? t('bulk.delete.trash', { count: days }) : days === 0 && t('bulk.delete.text')}</p>
      <Checkbox
        label={t('bulk.delete.below')}
        info={t('bulk.delete.below.info')}
        value={force}
        onChange={setForce}
        className="text-ink"
      />
    </ConfirmDialog>
  )
}

async function restoreByUuid(uuid: string): Promise<void> {
  const { data } = await client.site.trash.list({ uuid, limit: 1, select: ['id'] })
  await client.site.trash.restore({ id: data[0]?.id ?? '' }, {})
}
