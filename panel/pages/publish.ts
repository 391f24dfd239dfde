import { client } from '../app/client.ts'
import { queryClient } from '../app/query.ts'
import { toastWithUndo } from '../app/undo.ts'
import type { Draft } from '../editor/draft-state.ts'
import { formatDate, t } from '../texts/texts.ts'
import { pageIdOf, type PageModel, type Status, uuidIdOf } from './page.ts'
import { refreshPages } from './page-query.ts'
import { statusName } from './status-mark.tsx'

type Schedule = NonNullable<PageModel['schedule']>

const inOrder: readonly Status[] = ['listed', 'unlisted']

/** The statuses that a draft can be published with, the usual one first. */
export const publishedStatuses = ({ blueprint }: Pick<PageModel, 'blueprint'>): readonly Status[] =>
  inOrder.filter(status => blueprint.status?.[status])

/** The name of a status, as the blueprint has it. */
export const statusLabel = ({ blueprint }: Pick<PageModel, 'blueprint'>, status: Status): string =>
  blueprint.status?.[status]?.label ?? statusName(status)

/** Publishes a draft page: its content and its status, in one transaction. */
export async function publishPage(draft: Draft, page: PageModel, status: Status, language: string | undefined) {
  let revision: number | undefined
  const isDone = await draft.publish(async seen => {
    const address = { id: pageIdOf(page), language, select: ['revision'] as const }
    ;({ revision } = await client.pages.changeStatus(address, { status, ...seen }))
  })
  if (isDone) toastStatus(page, { status, revision })
  return isDone
}

/** Shows that the status was changed, in the words that every part of the panel uses, with an undo button. */
export function toastStatus(
  page: PageModel,
  { status, revision, withChanges = false }: { status: Status; revision: number | undefined; withChanges?: boolean },
): void {
  const now = t('pages.status.changed', { status: statusLabel(page, status) })
  const before = t('pages.status.changed', { status: statusLabel(page, page.status) })
  const heading =
    status === 'draft'
      ? t('pages.unpublished')
      : page.status === 'draft' || withChanges
        ? t('editor.published')
        : undefined
  const staysPublished = withChanges && page.status !== 'draft'
  toastWithUndo({
    title: heading ?? now,
    text: heading && now,
    undone: staysPublished ? t('pages.status.undone', { status: statusLabel(page, page.status) }) : before,
    undo: async () => {
      const position = page.num === null ? {} : { position: page.num }
      await client.pages.changeStatus({ id: uuidIdOf(page) }, { status: page.status, revision, ...position })
      await refreshPages(queryClient)
    },
  })
}

/** What happens at the scheduled time. */
export function scheduleText(page: PageModel, { status, publishChanges }: Schedule): string {
  const name = { status: statusLabel(page, status) }
  if (!publishChanges) return t('pages.status.changed', name)
  return status === page.status ? t('pages.schedule.changes') : t('pages.schedule.withChanges', name)
}

/** Shows what was scheduled, with an undo button that restores what was scheduled before. */
export function toastScheduled(page: PageModel, schedule: Schedule): void {
  const { schedule: before } = page
  toastWithUndo({
    title: t('pages.schedule.for', { time: formatDate(schedule.at) }),
    text: scheduleText(page, schedule),
    isCurrent: async () => isSame((await readSchedule(page)) ?? undefined, schedule),
    undone: before ? t('pages.schedule.for', { time: formatDate(before.at) }) : t('pages.schedule.removed'),
    undo: async () => {
      if (before) await reschedule(page, before)
      else await client.pages.schedule.delete({ id: uuidIdOf(page) })
      await refreshPages(queryClient)
    },
  })
}

/** Shows that the schedule was removed, with an undo button. */
export function toastScheduleRemoved(page: PageModel, before: Schedule): void {
  toastWithUndo({
    title: t('pages.schedule.removed'),
    isCurrent: async () => (await readSchedule(page)) === null,
    undone: t('pages.schedule.for', { time: formatDate(before.at) }),
    undo: async () => {
      await reschedule(page, before)
      await refreshPages(queryClient)
    },
  })
}

const isSame = (one: Schedule | undefined, other: Schedule) => one?.at === other.at && one.status === other.status

const readSchedule = async (page: PageModel) =>
  (await client.pages.get({ id: uuidIdOf(page), select: ['schedule'] })).schedule

const reschedule = (page: PageModel, { status, at, publishChanges, language }: Schedule) =>
  client.pages.schedule.change({ id: uuidIdOf(page), language: language ?? undefined }, { status, at, publishChanges })
