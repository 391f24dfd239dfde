import { useState } from 'react'
import { client } from '../../app/client.ts'
import { formatDate, t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { toast } from '../../ui/toast.ts'
import { idOf, type PageModel, type Status } from '../page.ts'
import { statusName } from '../status-mark.tsx'
import type { PageDialogProps } from './props.ts'
import { FormDialog } from './form-dialog.tsx'
import { PositionField, usePositions } from './position.tsx'
import { momentOf, Planned, WhenField } from './schedule.tsx'

const order: readonly Status[] = ['draft', 'unlisted', 'listed']

/** What each status means stands beside it. It is changed now, or at a time. */
export function StatusDialog({ page, onClose }: PageDialogProps) {
  const { blueprint, status, revision } = page
  const offered = order.filter(name => blueprint.status?.[name])
  const [chosen, setChosen] = useState<Status>(status)
  const [when, setWhen] = useState<{ date: string; time: string }>()
  const isPlaced = blueprint.num === 'default'
  const count = usePositions(page, isPlaced)
  const last = status === 'listed' ? count : count + 1
  const [position, setPosition] = useState<number>()
  const missing = missingOf(page)
  const isListed = chosen === 'listed' && isPlaced && !when
  const place = position ?? (status === 'listed' ? (page.num ?? last) : last)
  const label = blueprint.status?.[chosen]?.label ?? statusName(chosen)
  const moment = when && momentOf(when)
  const id = idOf(page)

  return (
    <FormDialog
      title={t('pages.status.change')}
      confirm={t(when ? 'pages.schedule.confirm' : 'pages.status.confirm')}
      disabled={when !== undefined && (moment === undefined || chosen === status)}
      onClose={onClose}
      run={async () => {
        if (moment) await client.pages.schedule.change({ id }, { status: chosen, at: moment.toISOString() })
        else await client.pages.changeStatus({ id }, { status: chosen, revision, ...(isListed && { position: place }) })
      }}
      onDone={() => {
        const title = moment
          ? t('pages.schedule.planned', { status: label, time: formatDate(moment) })
          : t('pages.status.changed', { status: label })
        toast({ tone: 'good', title })
      }}
    >
      {errors => (
        <>
          <Planned page={page} />
          <Field label={t('pages.status')} group>
            <RadioGroup<Status>
              value={chosen}
              onChange={setChosen}
              options={offered.map(name => ({
                value: name,
                text: blueprint.status![name]!.label,
                info: blueprint.status![name]!.text ?? undefined,
              }))}
            />
          </Field>
          {status === 'draft' && chosen !== 'draft' && missing.length > 0 && (
            <Notice tone="warn" title={t('pages.status.missing')}>
              <ul className="list-disc ps-5">
                {missing.map(text => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </Notice>
          )}
          {isListed && <PositionField value={place} last={last} onChange={setPosition} />}
          {chosen !== status && <WhenField value={when} onChange={setWhen} error={errors['at']} />}
        </>
      )}
    </FormDialog>
  )
}

/** What the blueprint asks for before others can read the page. */
function missingOf({ errors }: PageModel): string[] {
  return Object.values(errors).flatMap(({ label, message }) => Object.values(message).map(text => `${label}: ${text}`))
}
