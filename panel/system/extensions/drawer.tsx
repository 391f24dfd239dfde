import { useMutation } from '@tanstack/react-query'
import { Inbox, Play, RotateCw } from 'lucide-react'
import { client } from '../../app/client.ts'
import { webhooks } from '../../texts/en/webhooks.ts'
import { addTexts, formatDate, t } from '../../texts/texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { type Extension, type ExtensionRun, useRefreshExtensions } from './query.ts'

// Runs of jobs are listed like deliveries.
addTexts(webhooks)

/** The jobs of an extension, and its last runs. */
export function ExtensionDrawer({ extension, onClose }: { extension: Extension; onClose: () => void }) {
  const { name, jobs, runs } = extension
  const refresh = useRefreshExtensions()
  const run = useMutation({
    mutationFn: (body: { job: string } | { again: string }) => client.system.extensions.run({ name }, body),
    onSuccess: refresh,
  })
  const isBusy = (part: string) => run.isPending && Object.values(run.variables)[0] === part

  return (
    <Drawer open title={<bdi>{name}</bdi>} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {jobs.length > 0 && (
          <>
            <h3 className="font-medium">{t('extensions.jobs')}</h3>
            <ul aria-label={t('extensions.jobs')} className="divide-y">
              {jobs.map(job => (
                <li key={job.name} className="flex items-start gap-3 py-2">
                  <div className="min-w-0 flex-1">
                    <div className="wrap-anywhere">{job.name}</div>
                    <div className="text-sm text-muted wrap-anywhere">{timesOf(job)}</div>
                  </div>
                  <IconButton
                    icon={Play}
                    size="small"
                    label={`${t('extensions.job.run')}: ${job.name}`}
                    busy={isBusy(job.name)}
                    onClick={() => run.mutate({ job: job.name })}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
        <h3 className="font-medium">{t('extensions.runs')}</h3>
        {runs.length === 0 ? (
          <EmptyState icon={Inbox} text={t('extensions.runs.none')} />
        ) : (
          <ul aria-label={t('extensions.runs')} className="divide-y">
            {runs.map(past => (
              <li key={past.id} className="flex items-start gap-3 py-2">
                <Badge tone={tones[past.state]}>{t(`extensions.state.${past.state}`)}</Badge>
                <div className="min-w-0 flex-1">
                  <div className="wrap-anywhere">{past.part}</div>
                  <div className="text-sm text-muted wrap-anywhere">{describe(past)}</div>
                </div>
                {past.state === 'failed' && (
                  <IconButton
                    icon={RotateCw}
                    size="small"
                    label={t('extensions.again')}
                    busy={isBusy(past.id)}
                    onClick={() => run.mutate({ again: past.id })}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Drawer>
  )
}

const tones = { done: 'good', failed: 'danger', waiting: 'neutral' } as const

function timesOf({ at, timeZone, next }: Extension['jobs'][number]): string {
  if (at === null) return t('extensions.job.byHand')
  const times = `${at} (${timeZone ?? 'UTC'})`
  return next === null ? times : `${times} · ${t('extensions.job.next', { when: formatDate(next) })}`
}

/** When it was queued, how long it took, and what went wrong. */
function describe({ created, duration, attempts, next, problem, state }: ExtensionRun): string {
  return [
    formatDate(created),
    duration !== null && t('webhooks.duration', { ms: duration }),
    attempts > 1 && t('webhooks.attempts', { count: attempts }),
    state === 'waiting' && attempts > 0 && next !== null && t('webhooks.next', { when: formatDate(next) }),
    problem,
  ]
    .filter(Boolean)
    .join(' · ')
}
