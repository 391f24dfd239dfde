import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../app/client.ts'
import { keys } from '../../app/query.ts'
import { t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { parentId } from '../id.ts'
import { pageIdOf, type PageModel } from '../page.ts'
import type { PageDialogProps } from './props.ts'
import { FormDialog } from './form-dialog.tsx'

/** Number of listed siblings. */
export function usePositions(page: PageModel, enabled = true): number {
  const parent = parentId(pageIdOf(page))
  const { data } = useQuery({
    queryKey: keys.children(parent ?? '', 'count', 'listed'),
    queryFn: async () => {
      const query = { status: 'listed', limit: 1, select: ['id'] } as const
      const { pagination } = await (parent === undefined
        ? client.site.children.list(query)
        : client.pages.children.list({ id: parent, ...query }))
      return pagination.total
    },
    enabled,
  })
  return data ?? page.num ?? 1
}

interface FieldProps {
  value: number
  last: number
  onChange: (position: number) => void
}

export function PositionField({ value, last, onChange }: FieldProps) {
  return (
    <Field label={t('pages.position')} help={t('pages.position.help', { last })}>
      <Input
        type="number"
        min={1}
        max={last}
        value={Number.isNaN(value) ? '' : String(value)}
        onChange={typed => onChange(typed === '' ? Number.NaN : Number(typed))}
      />
    </Field>
  )
}

/** Sets the position by number, for long lists and as an alternative to dragging. */
export function PositionDialog({ page, onClose }: PageDialogProps) {
  const last = usePositions(page)
  const [position, setPosition] = useState(page.num ?? 1)
  return (
    <FormDialog
      title={t('pages.position.title', { title: page.title })}
      confirm={t('pages.position.confirm')}
      disabled={!Number.isSafeInteger(position) || position < 1}
      onClose={onClose}
      run={() =>
        client.pages.changeStatus({ id: pageIdOf(page) }, { status: 'listed', position: Math.min(position, last) })
      }
    >
      {() => <PositionField value={position} last={last} onChange={setPosition} />}
    </FormDialog>
  )
}
