import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { ChevronRight, CircleDot, History, RotateCcw } from 'lucide-react'
import { useId, useState } from 'react'
import { errorText } from '../app/errors.ts'
import { useSession } from '../app/session.ts'
import { formatRelativeTime, formatDate, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { cx } from '../ui/cx.ts'
import { Drawer } from '../ui/drawer.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { Toggles } from '../ui/toggles.tsx'
import type { FieldDefinitions } from '../fields/field.ts'
import type { Blueprint } from './blueprint.ts'
import { Difference } from './difference.tsx'
import { equal } from './equal.ts'
import { draftOf } from './open-drafts.ts'
import type { ContentResource, Version } from './content-resource.ts'
import { useDefinitions } from './use-definitions.ts'
import { versionNames } from './version-names.ts'

export interface VersionsProps {
  resource: ContentResource
  blueprint: Blueprint
  labels: Readonly<Record<string, string>>
  /** The status of a page now. */
  status?: string | undefined
  canRestore: boolean
  onClose: () => void
}

type Compare = 'previous' | 'current'

export function HistoryDrawer(props: VersionsProps) {
  return (
    <Drawer open title={t('editor.history')} onClose={props.onClose}>
      <Versions {...props} />
    </Drawer>
  )
}

/** Lists versions, shows what changed between them, and restores one of them. */
export function Versions({ resource, blueprint, labels, status, canRestore, onClose }: VersionsProps) {
  const { user } = useSession()
  const draft = draftOf(resource, user.id)
  const definitions = useDefinitions(resource, blueprint)
  const [open, setOpen] = useState<number>()
  const [compare, setCompare] = useState<Compare>('previous')
  /** Stays the same while the dialog closes. */
  const [restoring, setRestoring] = useState<Version>()
  const [isRestoreOpen, setRestoreOpen] = useState(false)
  const list = useInfiniteQuery({
    queryKey: ['history', resource.key],
    queryFn: ({ pageParam }) => resource.history.list(pageParam),
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { page, limit, total } }) => (page * limit < total ? page + 1 : undefined),
    staleTime: 0,
  })
  const versions = list.data?.pages.flatMap(({ data }) => data) ?? []
  const newest = versions.find(({ kind }) => kind === 'version')
  const names = versionNames(versions, status)
  const restore = useMutation({
    mutationFn: async (version: Version) => {
      await resource.history.restore(version.id, await draft.seen())
      await draft.refresh()
    },
    onSuccess: (_, version) => {
      setRestoreOpen(false)
      toast({ tone: 'good', title: t('editor.history.restored', { time: formatDate(version.time) }) })
      onClose()
    },
    onError: () => setRestoreOpen(false),
  })
  function askToRestore(version: Version) {
    setRestoring(version)
    setRestoreOpen(true)
  }

  return (
    <>
      <div className="flex flex-col gap-4">
        <Toggles<Compare>
          aria-label={t('editor.history.compare')}
          value={compare}
          onChange={value => setCompare(value ?? 'previous')}
          options={[
            { value: 'previous', text: t('editor.history.previous') },
            { value: 'current', text: t('editor.history.current') },
          ]}
        />
        {list.isPending && <Skeleton className="h-10" lines={4} />}
        {list.error && <EmptyState icon={History} tone="danger" small text={errorText(list.error)} />}
        {list.data && versions.length === 0 && <EmptyState icon={History} small text={t('editor.history.empty')} />}
        <ol className="flex flex-col">
          {versions.map((version, index) => (
            <VersionRow
              key={version.id}
              resource={resource}
              version={version}
              name={names[index]!}
              isNewest={version === newest}
              labels={labels}
              definitions={definitions}
              statuses={blueprint.status}
              compare={compare}
              isOpen={open === version.id}
              onOpen={() => setOpen(open === version.id ? undefined : version.id)}
              onRestore={canRestore && version !== newest ? () => askToRestore(version) : undefined}
            />
          ))}
        </ol>
        {list.hasNextPage && (
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('editor.history.more')}
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={isRestoreOpen}
        title={t('editor.history.ask', { time: restoring ? formatDate(restoring.time) : '' })}
        confirm={t('editor.history.restore')}
        busy={restore.isPending}
        onClose={() => setRestoreOpen(false)}
        onConfirm={() => restoring && restore.mutate(restoring)}
      >
        <p>{t('editor.history.asked')}</p>
      </ConfirmDialog>
    </>
  )
}

interface RowProps {
  resource: ContentResource
  version: Version
  /** What was done. */
  name: string
  isNewest: boolean
  labels: Readonly<Record<string, string>>
  definitions: FieldDefinitions
  statuses: Blueprint['status']
  compare: Compare
  isOpen: boolean
  onOpen: () => void
  onRestore: (() => void) | undefined
}

function VersionRow(props: RowProps) {
  const {
    resource,
    version,
    name: action,
    isNewest,
    labels,
    definitions,
    statuses,
    compare,
    isOpen,
    onOpen,
    onRestore,
  } = props
  const id = useId()
  const { time, kind, user, fields } = version
  const named = fields.map(name => labels[name] ?? name).join(', ')
  if (kind === 'event')
    return (
      <li className="flex items-start gap-2 border-b px-1 py-3">
        <CircleDot aria-hidden="true" className="mt-0.5 text-faint" />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2">
            <time dateTime={time} title={formatDate(time)} className="font-medium">
              {formatRelativeTime(time)}
            </time>
            <span className="text-muted">{user?.username ?? t('editor.history.nobody')}</span>
          </span>
          <span className="block text-sm wrap-anywhere text-muted">{eventText(action, version, statuses)}</span>
        </span>
      </li>
    )
  return (
    <li className="border-b py-1">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={onOpen}
        className="flex w-full items-start gap-2 rounded-md px-1 py-2 text-start hover:bg-hover"
      >
        <ChevronRight
          aria-hidden="true"
          className={cx('mt-0.5 text-faint transition-transform', isOpen ? 'rotate-90' : 'rtl:rotate-180')}
        />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2">
            <time dateTime={time} title={formatDate(time)} className="font-medium">
              {formatRelativeTime(time)}
            </time>
            <span className="text-muted">{user?.username ?? t('editor.history.nobody')}</span>
            {kind === 'draft' && <Badge tone="warn">{t('editor.history.draft')}</Badge>}
            {isNewest && <Badge tone="accent">{t('editor.history.newest')}</Badge>}
          </span>
          <span className="block truncate text-sm text-muted">
            {action}
            {named && ` · ${named}`}
          </span>
        </span>
      </button>
      {isOpen && (
        <div id={id} className="flex flex-col gap-3 ps-7 pe-1 pt-1 pb-3">
          <Changes
            resource={resource}
            version={version.id}
            compare={compare}
            labels={labels}
            definitions={definitions}
          />
          {onRestore && (
            <div>
              <Button size="small" icon={RotateCcw} onClick={onRestore}>
                {t('editor.history.restore')}
              </Button>
            </div>
          )}
        </div>
      )}
    </li>
  )
}

/** `Published: Draft → Public`, with the labels of the blueprint. */
function eventText(text: string, { detail }: Version, statuses: Blueprint['status']): string {
  const name = (value: string | undefined) => (value === undefined ? '' : (statuses?.[value]?.label ?? value))
  const { before, after, at } = detail ?? {}
  const to = before === after ? name(after) : [name(before), name(after)].filter(Boolean).join(' → ')
  return [text, [to, at && formatDate(at)].filter(Boolean).join(', ')].filter(Boolean).join(': ')
}

function Changes({
  resource,
  version,
  compare,
  labels,
  definitions,
}: Pick<RowProps, 'resource' | 'compare' | 'labels' | 'definitions'> & { version: number }) {
  const { data, error } = useQuery({
    queryKey: ['history', resource.key, version, compare],
    queryFn: () => resource.history.get(version, compare),
    staleTime: compare === 'previous' ? Infinity : 0,
  })
  if (error) return <p className="text-danger">{errorText(error)}</p>
  if (!data) return <Skeleton lines={2} />
  const changes = Object.entries(data.changes)
  if (changes.length === 0) return <p className="text-muted">{t('editor.diff.none')}</p>
  return (
    <dl className="flex flex-col gap-3">
      {changes.map(([name, { before, after }]) => (
        <div key={name}>
          <dt className="text-sm font-medium text-muted">{labels[name] ?? name}</dt>
          <dd>
            {equal(before, after) ? (
              <p className="text-muted">{t('editor.diff.stored')}</p>
            ) : (
              <Difference field={definitions[name]} before={before} after={after} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
