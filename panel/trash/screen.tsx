import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { File, FileText, FolderInput, MoreHorizontal, Trash2, Undo2, UserRound } from 'lucide-react'
import { useState } from 'react'
import { QuoinError } from '../../client/client.ts'
import { client } from '../app/client.ts'
import { errorText } from '../app/errors.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { PaginatedList, usePaginated } from '../system/paginated-list.tsx'
import { formatRelativeTime, formatDate, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Select } from '../ui/select.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.ts'
import { type TrashEntry, isResolvable, type TrashKind, restore, trashQuery } from './entry.ts'
import { RestoreDialog } from './restore-dialog.tsx'
import { useTrashDays } from './undo.ts'

const kinds: readonly TrashKind[] = ['page', 'file', 'user']

/** Deleted pages, files and accounts that can be restored, as far as they are visible to the user. */
export function TrashScreen() {
  useTitleAndBreadcrumb(t('nav.trash'), [{ text: t('nav.trash') }])
  const [kind, setKind] = useState<TrashKind | null>(null)
  const [dialog, setDialog] = useState<OpenDialog>()
  const entries = usePaginated(trashQuery(kind), { keep: true })
  const restored = useRestored()
  const days = useTrashDays()
  const back = useMutation({
    meta: { handlesError: true },
    mutationFn: ({ id }: TrashEntry) => restore(id),
    onSuccess: ({ link }, { title }) => restored(title, link),
    onError: (error, entry) => {
      if (error instanceof QuoinError && isResolvable(error.key))
        setDialog({ kind: 'restore', entry, problem: errorText(error), isGone: error.key === 'error.trash.parent' })
      else toast({ tone: 'danger', title: errorText(error) })
    },
  })
  const isEmpty = entries.total === 0
  return (
    <>
      <PageHeader
        title={t('nav.trash')}
        info={days === undefined ? undefined : t('trash.info', { count: days })}
        actions={
          <Button icon={Trash2} disabled={isEmpty} onClick={() => setDialog({ kind: 'empty' })}>
            {t('trash.empty')}
          </Button>
        }
      />
      <Select
        aria-label={t('trash.kind')}
        empty
        placeholder={t('trash.kind.all')}
        value={kind}
        onChange={setKind}
        options={kinds.map(value => ({ value, text: t(`trash.kind.${value}`) }))}
        className="mb-4 w-44 max-sm:w-full"
      />
      <Card flush>
        <PaginatedList query={entries} empty={<EmptyState icon={Trash2} text={t('trash.none')} />}>
          {rows => (
            <Table
              label={t('nav.trash')}
              rows={rows}
              keyOf={({ id }) => id}
              columns={columns({
                isBusy: ({ id }) => back.isPending && back.variables.id === id,
                onRestore: entry => back.mutate(entry),
                onAsk: setDialog,
              })}
            />
          )}
        </PaginatedList>
      </Card>
      {dialog?.kind === 'restore' && (
        <RestoreDialog
          entry={dialog.entry}
          problem={dialog.problem}
          isGone={dialog.isGone}
          onClose={() => setDialog(undefined)}
          onRestored={link => restored(dialog.entry.title, link)}
        />
      )}
      {dialog && dialog.kind !== 'restore' && (
        <DeleteDialog
          entry={dialog.kind === 'delete' ? dialog.entry : undefined}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}

type OpenDialog =
  | { kind: 'restore'; entry: TrashEntry; problem?: string | undefined; isGone?: boolean }
  | { kind: 'delete'; entry: TrashEntry }
  | { kind: 'empty' }

function useRestored() {
  const navigate = useNavigate()
  return (title: string, link: string) =>
    toast({
      tone: 'good',
      title: t('trash.restored', { title }),
      action: { text: t('trash.open'), onSelect: () => void navigate({ to: link }) },
    })
}

interface RunningAction {
  isBusy: (entry: TrashEntry) => boolean
  onRestore: (entry: TrashEntry) => void
  onAsk: (dialog: OpenDialog) => void
}

const columns = (doing: RunningAction) => [
  { name: 'item', label: t('trash.what'), cell: (entry: TrashEntry) => <DeletedItem entry={entry} /> },
  {
    name: 'time',
    label: t('trash.when'),
    width: 'w-56',
    wide: true,
    cell: (entry: TrashEntry) => <DeletedAt entry={entry} />,
  },
  {
    name: 'expires',
    label: t('trash.expires'),
    width: 'w-40',
    wide: true,
    cell: ({ expires }: TrashEntry) => <time dateTime={expires}>{formatDate(expires, { dateStyle: 'medium' })}</time>,
  },
  {
    name: 'actions',
    label: <span className="sr-only">{t('action.more')}</span>,
    width: 'w-36 @max-xl:w-24',
    align: 'end' as const,
    cell: (entry: TrashEntry) => <Actions entry={entry} doing={doing} />,
  },
]

const icons = { page: FileText, file: File, user: UserRound }

function DeletedItem({ entry }: { entry: TrashEntry }) {
  const { kind, title, path, pages, files } = entry
  const Icon = icons[kind]
  const below = [
    pages > 1 && t('trash.pages', { count: pages }),
    files > (kind === 'file' ? 1 : 0) && t('trash.files', { count: files }),
  ].filter(text => text !== false)
  return (
    <span className="flex min-w-0 items-center gap-3">
      <Icon aria-hidden="true" className="text-muted" />
      <span className="min-w-0">
        <span className="block truncate font-medium">{title}</span>
        <span className="block truncate text-sm text-muted">
          <bdi>{path}</bdi>
          {below.map(text => ` · ${text}`)}
        </span>
        {/* In a narrow container, in place of the column. */}
        <span className="block text-sm text-muted @xl:hidden">
          <DeletedAt entry={entry} />
        </span>
      </span>
    </span>
  )
}

function DeletedAt({ entry: { time, user } }: { entry: TrashEntry }) {
  const when = formatRelativeTime(time)
  return (
    <time dateTime={time} title={formatDate(time)}>
      {user?.username ? t('trash.by', { when, name: user.username }) : when}
    </time>
  )
}

function Actions({ entry, doing }: { entry: TrashEntry; doing: RunningAction }) {
  const { title, options, kind } = entry
  return (
    <span className="flex items-center justify-end gap-1">
      <IconButton
        icon={Undo2}
        label={t('trash.restore.one', { title })}
        busy={doing.isBusy(entry)}
        disabled={!options.restore}
        onClick={() => doing.onRestore(entry)}
      />
      <Menu
        align="end"
        trigger={<IconButton icon={MoreHorizontal} label={t('trash.more', { title })} />}
        items={[
          kind !== 'user' && {
            text: t('trash.restore.elsewhere'),
            icon: FolderInput,
            disabled: !options.restore,
            onSelect: () => doing.onAsk({ kind: 'restore', entry }),
          },
          {
            text: t('trash.delete'),
            icon: Trash2,
            danger: true,
            disabled: !options.delete,
            onSelect: () => doing.onAsk({ kind: 'delete', entry }),
          },
        ]}
      />
    </span>
  )
}

/** Confirms permanent deletion. Without an entry, of the whole trash. */
function DeleteDialog({ entry, onClose }: { entry: TrashEntry | undefined; onClose: () => void }) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: async () => {
      if (!entry) return t('trash.emptied', { count: (await client.site.trash.empty()).deleted })
      await client.site.trash.delete({ id: entry.id })
      return t('trash.deleted', { title: entry.title })
    },
    onSuccess: title => toast({ tone: 'good', title }),
    onSettled: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: ['trash'] })
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={entry ? t('trash.delete.title', { title: entry.title }) : t('trash.empty.title')}
      confirm={t(entry ? 'trash.delete' : 'trash.empty')}
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>{t(entry ? 'trash.delete.text' : 'trash.empty.text')}</p>
    </ConfirmDialog>
  )
}
