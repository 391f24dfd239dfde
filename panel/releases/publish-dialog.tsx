import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { hasKey } from '../app/errors.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { flushDrafts } from '../editor/open-drafts.ts'
import { type DateAndTime, DateAndTimeField, toFutureDate } from '../pages/dialogs/schedule.tsx'
import { formatDate, t } from '../texts/texts.ts'
import { toast } from '../ui/toast.ts'
import { refreshReleases, type Release } from './query.ts'

/** Publishes a release, now or at a time. */
export function PublishDialog({ release, onClose }: { release: Release; onClose: () => void }) {
  const { id, name, revision } = release
  const queryClient = useQueryClient()
  const [later, setLater] = useState<DateAndTime>()
  const moment = later && toFutureDate(later)
  const publish = useMutation({
    meta: { handlesError: true },
    mutationFn: async () => {
      await flushDrafts()
      return moment
        ? client.site.releases.update({ release: id }, { at: moment.toISOString(), revision })
        : client.site.releases.publish({ release: id }, { revision })
    },
    onSuccess: async ({ at }) => {
      const title =
        moment && at !== null ? t('releases.scheduled.for', { time: formatDate(at) }) : t('releases.published')
      toast({ tone: 'good', title })
      onClose()
      await refreshReleases(queryClient)
    },
    onError: async error => {
      await refreshReleases(queryClient)
      // The screen names what holds it.
      if (hasKey(error, 'release.held')) onClose()
    },
  })
  return (
    <SubmitDialog
      title={t('releases.publish.title', { name })}
      description={t('releases.publish.text')}
      confirm={t(later ? 'releases.publish.schedule' : 'releases.publish.now')}
      busy={publish.isPending}
      disabled={later !== undefined && moment === undefined}
      error={publish.error}
      onSubmit={() => publish.mutate()}
      onClose={onClose}
    >
      <DateAndTimeField value={later} onChange={setLater} />
    </SubmitDialog>
  )
}
