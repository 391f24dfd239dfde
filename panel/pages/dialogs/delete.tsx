import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../app/client.ts'
import { errorText } from '../../app/errors.ts'
import { LinkInput } from '../../fields/link/link-input.tsx'
import { clearDrafts } from '../../editor/open-drafts.ts'
import { t } from '../../texts/texts.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useDeletedToast, useTrashDays } from '../../trash/undo.ts'
import { StillUsed } from '../../backlinks/still-used.tsx'
import { useReplacedAddresses } from '../addresses.ts'
import { GoneAddresses, usePagesBelow } from '../consequences.tsx'
import { pageIdOf, uuidIdOf } from '../page.ts'
import { refreshPages } from '../page-query.ts'
import type { PageDialogProps } from './props.ts'

/** Shows what will be deleted. If the page has children, the user must type its title, to prevent accidents. */
export function DeletePageDialog({ page, onClose, onMoved }: PageDialogProps) {
  const queryClient = useQueryClient()
  const id = pageIdOf(page)
  const hasPages = page.hasChildren || page.hasDrafts
  const [typed, setTyped] = useState('')
  const [successor, setSuccessor] = useState('')
  const showDeletedToast = useDeletedToast()
  const pages = usePagesBelow(page)
  const { data: files = 0 } = useQuery({
    queryKey: ['pages', id, 'lost'],
    queryFn: async () => (await client.pages.files.list({ id, limit: 1, select: ['id'] })).pagination.total,
    enabled: page.hasFiles,
    staleTime: 0,
  })
  const addresses = useReplacedAddresses(page, successor === '' ? '' : uuidIdOf({ uuid: successor }))
  const days = useTrashDays()
  const remove = useMutation({
    meta: { handlesError: true },
    mutationFn: () => client.pages.delete({ id }, { force: hasPages, ...(successor !== '' && { successor }) }),
    onSuccess: () => {
      clearDrafts(`/pages/${id}`)
      showDeletedToast(t('pages.deleted', { title: page.title }), page)
      onClose()
      onMoved?.(null)
      queryClient.removeQueries({ queryKey: ['pages', id] })
      void refreshPages(queryClient)
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={t('pages.delete.title', { title: page.title })}
      confirm={t('pages.delete.confirm')}
      busy={remove.isPending}
      disabled={hasPages && typed.trim() !== page.title}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      {remove.error && (
        <Notice live tone="danger">
          {errorText(remove.error)}
        </Notice>
      )}
      <p>{days ? t('trash.delete.page', { count: days }) : days === 0 && t('pages.delete.text')}</p>
      {pages + files > 0 && (
        <ul className="list-disc ps-5 text-ink">
          {pages > 0 && <li>{t('pages.delete.pages', { count: pages })}</li>}
          {files > 0 && <li>{t('pages.delete.files', { count: files })}</li>}
        </ul>
      )}
      <StillUsed target={{ page: id }} />
      {page.status !== 'draft' && (
        <>
          <GoneAddresses addresses={addresses} />
          <Field label={t('pages.delete.successor')} help={t('pages.delete.successor.help')}>
            <LinkInput value={successor} onChange={setSuccessor} offered={['page']} />
          </Field>
        </>
      )}
      {hasPages && (
        <Field label={t('pages.delete.type', { title: page.title })}>
          <Input value={typed} onChange={setTyped} />
        </Field>
      )}
    </ConfirmDialog>
  )
}
