import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../app/client.ts'
import { useContentLanguage } from '../../app/language.ts'
import { can, useSession } from '../../app/session.ts'
import { labelsOf } from '../../editor/blueprint.ts'
import { flushDrafts } from '../../editor/open-drafts.ts'
import type { SavedDraft } from '../../editor/content-resource.ts'
import { t } from '../../texts/texts.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { StillUsed } from '../../backlinks/still-used.tsx'
import { useAddresses } from '../addresses.ts'
import { GoneAddresses, usePagesBelow } from '../consequences.tsx'
import { pageIdOf, type PageModel, type Status } from '../page.ts'
import { publishedStatuses, toastScheduled, toastStatus } from '../publish.ts'
import type { PageDialogProps } from './props.ts'
import { FormDialog } from './form-dialog.tsx'
import { PositionField, usePositions } from './position.tsx'
import { toFutureDate, ScheduleNotice, type DateAndTime, DateAndTimeField } from './schedule.tsx'

const order: readonly Status[] = ['draft', 'unlisted', 'listed']

/** Changes the status, now or at a scheduled time, and optionally publishes the saved draft with it. */
export function StatusDialog({
  page,
  language,
  onClose,
  isScheduling = false,
}: PageDialogProps & { isScheduling?: boolean }) {
  const { blueprint, status, revision } = page
  const offered = order.filter(name => blueprint.status?.[name])
  const first = isScheduling && status === 'draft' ? (publishedStatuses(page)[0] ?? status) : status
  const [chosen, setChosen] = useState<Status>(first)
  const [when, setWhen] = useState<DateAndTime | undefined>(isScheduling ? { date: '', time: '09:00' } : undefined)
  const isPlaced = blueprint.num === 'default'
  const count = usePositions(page, isPlaced)
  const last = status === 'listed' ? count : count + 1
  const [position, setPosition] = useState<number>()
  const draft = useSavedDraft(page, language)
  const [isLeft, setLeft] = useState(false)
  const changes = draft && !draft.isLocked ? draft.fields : []
  const isTaken = changes.length > 0 && !isLeft && (chosen !== status || when !== undefined)
  const missing = missingOf(page, isTaken ? draft : undefined)
  const isListed = chosen === 'listed' && isPlaced && !when
  const place = position ?? (status === 'listed' ? (page.num ?? last) : last)
  const moment = when && toFutureDate(when)
  const id = pageIdOf(page)
  const publish = isTaken ? { publishChanges: true, draftRevision: draft?.draftRevision } : {}

  return (
    <FormDialog
      title={t(isScheduling ? 'pages.schedule.title' : 'pages.status.change')}
      confirm={t(when ? 'pages.schedule.confirm' : 'pages.status.confirm')}
      disabled={when !== undefined && (moment === undefined || (chosen === status && !isTaken))}
      onClose={onClose}
      run={async () => {
        if (moment) {
          const at = moment.toISOString()
          return client.pages.schedule.change({ id, language }, { status: chosen, at, ...publish })
        }
        return client.pages.changeStatus(
          { id, language, select: ['revision'] },
          { status: chosen, revision, ...publish, ...(isListed && { position: place }) },
        )
      }}
      onDone={done => {
        if ('at' in done) toastScheduled(page, done)
        else toastStatus(page, { status: chosen, revision: done.revision, withChanges: isTaken })
      }}
    >
      {errors => (
        <>
          <ScheduleNotice page={page} />
          <Field label={t('pages.status')} group="radiogroup">
            <RadioGroup<Status>
              value={chosen}
              onChange={setChosen}
              options={offered.map(name => ({
                value: name,
                text: blueprint.status[name]!.label,
                info: blueprint.status[name]!.text ?? undefined,
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
          {status !== 'draft' && chosen === 'draft' && <Unpublishing page={page} />}
          {isListed && <PositionField value={place} last={last} onChange={setPosition} />}
          {(chosen !== status || changes.length > 0) && (
            <DateAndTimeField value={when} onChange={setWhen} error={errors['at']} />
          )}
          {(chosen !== status || when) && changes.length > 0 && (
            <Checkbox
              label={t('pages.status.withChanges', { fields: namesOf(page, changes) })}
              value={!isLeft}
              onChange={isAlong => setLeft(!isAlong)}
            />
          )}
          {(chosen !== status || when) && draft && <UnpublishedDrafts page={page} draft={draft} />}
        </>
      )}
    </FormDialog>
  )
}

/** What becomes of the addresses and links of a page that is no longer public. */
function Unpublishing({ page }: { page: PageModel }) {
  const addresses = useAddresses(page)
  const below = usePagesBelow(page)
  return (
    <>
      <GoneAddresses addresses={addresses} below={below} />
      <StillUsed target={{ page: pageIdOf(page) }} />
    </>
  )
}

/** Drafts that are not published with it, because they are in another language or locked by another user. */
function UnpublishedDrafts({ page, draft }: { page: PageModel; draft: SavedDraft }) {
  const { all } = useContentLanguage()
  const lines = [
    ...(draft.isLocked ? [{ name: draft.user?.username ?? '', fields: draft.fields }] : []),
    ...draft.others.map(other => ({
      name: all.find(({ code }) => code === other.language)?.name ?? other.language,
      fields: other.fields,
    })),
  ]
  if (lines.length === 0) return null
  return (
    <Notice tone="info" title={t('pages.status.left')}>
      <ul className="list-disc ps-5">
        {lines.map(({ name, fields }) => (
          <li key={name}>
            {name && `${name}: `}
            {namesOf(page, fields)}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

/** The saved draft, including pending changes. Undefined without permission to update the page. */
function useSavedDraft({ id, revision, ...page }: PageModel, language: string | undefined): SavedDraft | undefined {
  const { user } = useSession()
  const { data } = useQuery({
    queryKey: ['pages', id, 'draft', language, revision],
    queryFn: async () => {
      await flushDrafts()
      return await client.pages.changes.get({ id: pageIdOf({ id, ...page }), language })
    },
    enabled: can(user, 'pages.update') && page.options['update'] === true,
    staleTime: 0,
    gcTime: 0,
  })
  return data
}

function namesOf({ blueprint }: PageModel, names: readonly string[]): string {
  const labels: Readonly<Record<string, string>> = { title: t('pages.title'), ...labelsOf(blueprint) }
  return names.map(name => labels[name] ?? name).join(', ')
}

/** Validation errors that prevent publishing, of the stored content or of the draft. */
function missingOf({ errors, blueprint }: PageModel, draft: SavedDraft | undefined): string[] {
  const fields = labelsOf(blueprint)
  const sections = Object.fromEntries(Object.entries(errors).filter(([name]) => !(name in fields)))
  const found = draft ? { ...sections, ...draft.errors } : errors
  return Object.values(found).flatMap(({ label, message }) => Object.values(message).map(text => `${label}: ${text}`))
}
