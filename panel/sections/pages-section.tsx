import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  ArrowUpDown,
  Copy,
  Ellipsis,
  FileText,
  FolderInput,
  Link2,
  ListChecks,
  ListFilter,
  CircleDot,
  Pencil,
  Plus,
  SearchX,
  Trash2,
} from 'lucide-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { PeopleAt } from '../activity/people-here.tsx'
import { client } from '../app/client.ts'
import { can, useSession } from '../app/session.ts'
import type { ContentResource, ShownSection } from '../editor/content-resource.ts'
import type { BulkAction } from '../pages/bulk/bulk-dialog.tsx'
import type { PageAction } from '../pages/dialogs/dialog.tsx'
import { toId } from '../pages/id.ts'
import { refreshPages } from '../pages/page-query.ts'
import { prefetchPage } from '../pages/prefetch.ts'
import { StateMarks } from '../pages/state-marks.tsx'
import { StatusMark, statusName } from '../pages/status-mark.tsx'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { type PageItem, itemTitle } from './item.ts'
import { Items } from './items.tsx'
import { linkTo } from './link.tsx'
import { ListFrame } from './list-frame.tsx'
import { ListSkeleton } from './list-skeleton.tsx'
import { isListFiltered, isSameView } from './list-view.ts'
import { SectionFailed } from './section-failed.tsx'
import { useListed } from './use-section.ts'
import { useUpdatedUrl, useViewInUrl } from './use-view-in-url.ts'
import { useSelection } from './use-selection.ts'

/** Lazy, because these are rarely opened. */
const CreatePageDialog = lazy(async () => ({ default: (await import('../pages/dialogs/create.tsx')).CreatePageDialog }))
const BulkDialog = lazy(async () => ({ default: (await import('../pages/bulk/bulk-dialog.tsx')).BulkDialog }))
const ListFilters = lazy(async () => ({ default: (await import('./filters.tsx')).ListFilters }))
const PagesSelectionBar = lazy(async () => ({
  default: (await import('./pages-selection-bar.tsx')).PagesSelectionBar,
}))
const PageDialog = lazy(async () => ({ default: (await import('../pages/dialogs/dialog.tsx')).PageDialog }))

/** A sortable list of pages. */
export function PagesSection({ resource, name }: { resource: ContentResource; name: string }) {
  const queryClient = useQueryClient()
  const { user } = useSession()
  const listed = useListed(resource, name, 'pages', useViewInUrl(name))
  const { view } = listed
  useUpdatedUrl(name, view)
  const [isFilterOpen, setFilterOpen] = useState(() => isListFiltered(view))
  const [isCreating, setCreating] = useState(false)
  const [dialog, setDialog] = useState<{ action: PageAction; id: string }>()
  const { data, error, key } = listed
  const frame = useRef<HTMLDivElement>(null)
  const selection = useSelection<PageItem>(data?.data ?? [], frame)
  const [bulkAction, setBulkAction] = useState<BulkAction>()

  const sort = useMutation({
    // One at a time, because the new position is that of the neighbour after the previous move.
    scope: { id: `sort ${resource.key} ${name}` },
    mutationKey: ['sort'],
    mutationFn: async ({ id, neighbour }: { id: string; neighbour: string; data: PageItem[] }) => {
      const { num } = await client.pages.get({ id: neighbour, select: ['num'] })
      await client.pages.changeStatus({ id }, { status: 'listed', position: num ?? null })
    },
    onMutate: async ({ data: next }) => {
      await queryClient.cancelQueries({ queryKey: key })
      queryClient.setQueryData<ShownSection>(key, section =>
        section?.type === 'pages' ? { ...section, data: next } : section,
      )
    },
    onSettled: () => {
      if (queryClient.isMutating({ mutationKey: ['sort'] }) === 1) void refreshPages(queryClient)
    },
  })

  if (error) return <SectionFailed error={error} />
  if (!data) return <ListSkeleton />
  const { options, pagination } = data
  const parent = parentIn(options.link ?? resource.link)
  const add = options.add && parent !== undefined && (
    <Button size="small" icon={Plus} onClick={() => setCreating(true)}>
      {t('pages.create')}
    </Button>
  )
  const select = bulkRights.some(right => can(user, right)) && (
    <Button size="small" variant="plain" icon={ListChecks} onClick={selection.start}>
      {t('bulk.select')}
    </Button>
  )
  const isEmpty = isSameView(view, {})
  const filter = (pagination.total > 1 || !isEmpty) && (
    <IconButton
      size="small"
      icon={ListFilter}
      label={t('filters.show')}
      aria-expanded={isFilterOpen}
      aria-pressed={isListFiltered(view)}
      onClick={() => setFilterOpen(!isFilterOpen)}
    />
  )
  const near = (item: PageItem) => void prefetchPage(queryClient, toId(item.id), resource.language)

  const marks = (item: PageItem) => (
    <>
      <PeopleAt link={item.link} />
      {item.state && <StateMarks state={item.state} named={options.layout === 'list'} />}
      <StatusMark
        status={item.status}
        label={item.state?.statusLabel ?? statusName(item.status)}
        onSelect={
          !selection.isOn && canChange(item, 'status')
            ? () => setDialog({ action: 'status', id: toId(item.id) })
            : undefined
        }
        name={item.text}
      />
    </>
  )
  const after = (item: PageItem) => (
    <>
      {marks(item)}
      <Menu
        trigger={<IconButton icon={Ellipsis} label={t('pages.actionsFor', { title: item.text })} />}
        items={[
          { text: t('pages.open'), icon: FileText, render: linkTo(item.link) },
          'line',
          ...(['title', 'slug', 'status'] as const).map(action => ({
            text: t(`pages.${action}.change`),
            icon: icons[action],
            disabled: !canChange(item, action),
            onSelect: () => setDialog({ action, id: toId(item.id) }),
          })),
          {
            text: t('pages.position.change'),
            icon: ArrowUpDown,
            disabled: !item.permissions.sort,
            onSelect: () => setDialog({ action: 'position', id: toId(item.id) }),
          },
          ...others
            .filter(({ right }) => can(user, right))
            .map(({ action, text, icon, danger }) => ({
              text: t(text),
              icon,
              danger,
              onSelect: () => setDialog({ action, id: toId(item.id) }),
            })),
        ]}
      />
    </>
  )

  return (
    <ListFrame
      section={data}
      ref={frame}
      actions={
        !selection.isOn && (
          <>
            {filter}
            {data.data.length > 0 && select}
            {(data.data.length > 0 || !isEmpty) && add}
          </>
        )
      }
      bar={
        <>
          <Suspense>
            {selection.isOn && (
              <PagesSelectionBar selection={selection} shownPages={data.data} onAction={setBulkAction} />
            )}
          </Suspense>
          {isFilterOpen && options.filters && (
            <Suspense>
              <ListFilters headline={options.headline} offered={options.filters} view={view} onView={listed.show} />
            </Suspense>
          )}
        </>
      }
      searchTerm={listed.searchTerm}
      onSearchTerm={listed.setSearchTerm}
      onPage={listed.setPage}
    >
      {data.data.length === 0 ? (
        <Empty
          searchTerm={listed.searchTerm}
          text={options.empty}
          action={add}
          onClear={isListFiltered(view) ? () => listed.show({}) : undefined}
        />
      ) : (
        <Items
          section={data}
          sortableCount={options.sortable ? placed(data.data) : 0}
          nameOf={({ text }) => text}
          onOrder={next => {
            const move = moveOf(data.data, next)
            if (move) sort.mutate({ ...move, data: next })
          }}
          after={selection.isOn ? marks : after}
          selection={selection.isOn ? selection : undefined}
          onHover={near}
        />
      )}
      <Suspense>
        {isCreating && parent !== undefined && (
          <CreatePageDialog parent={parent} resource={resource} section={name} onClose={() => setCreating(false)} />
        )}
        {bulkAction && (
          <BulkDialog
            action={bulkAction}
            pages={selection.items.map(selectedPage)}
            language={resource.language}
            onClose={left => {
              setBulkAction(undefined)
              if (left) selection.keep(left)
            }}
          />
        )}
        {dialog && <PageDialog {...dialog} language={resource.language} onClose={() => setDialog(undefined)} />}
      </Suspense>
      {pagination.total > 0 && sort.isPending && (
        <span role="status" className="sr-only">
          {t('sections.sorting')}
        </span>
      )}
    </ListFrame>
  )
}

/** One of these is enough to select pages. */
const bulkRights = ['pages.changeStatus', 'pages.move', 'pages.changeTemplate', 'pages.update', 'pages.delete'] as const

/** Further actions. The role is checked here; whether this page permits them is checked on the server. */
const others = [
  { action: 'duplicate', text: 'pages.duplicate.do', icon: Copy, right: 'pages.duplicate', danger: false },
  { action: 'move', text: 'pages.move.do', icon: FolderInput, right: 'pages.move', danger: false },
  { action: 'delete', text: 'pages.delete.do', icon: Trash2, right: 'pages.delete', danger: true },
] as const

const icons = { title: Pencil, slug: Link2, status: CircleDot } as const
const permissionOf = { title: 'changeTitle', slug: 'changeSlug', status: 'changeStatus' } as const

/** Changes of a published page need the permission `pages.publish`. */
function canChange({ permissions, state, status }: PageItem, action: keyof typeof permissionOf): boolean {
  const isPublic = action === 'status' || (action === 'title' && status !== 'draft')
  return permissions[permissionOf[action]] && (state?.publish === true || !isPublic)
}

const selectedPage = (item: PageItem) => ({
  id: item.id,
  title: itemTitle(item).text,
  template: item.template,
  status: item.status,
  hasChanges: item.state !== undefined && item.state.changes !== null,
})

/** Number of sortable pages. They come first and are sorted among themselves. */
function placed(items: readonly PageItem[]): number {
  const count = items.findIndex(({ permissions }) => !permissions.sort)
  return count < 0 ? items.length : count
}

/** Which page was moved, and the neighbour whose position it takes. */
function moveOf(items: readonly PageItem[], next: readonly PageItem[]) {
  const to = next.findIndex((item, index) => item !== items[index])
  const from = next.findLastIndex((item, index) => item !== items[index])
  if (to < 0) return undefined
  // The page moved either down to the end of the changed range, or up to its beginning.
  const [item, neighbour] = items[to] === next[from] ? [next[from]!, items[from]!] : [next[to]!, items[to]!]
  return { id: toId(item.id), neighbour: toId(neighbour.id) }
}

/** The parent of new pages; null is the top level. Undefined if none can be created. */
function parentIn(link: string): string | null | undefined {
  if (link === '/site') return null
  return /^\/pages\/([^/]+)$/.exec(link)?.[1]
}

interface EmptyProps {
  searchTerm: string
  text: string | null
  action: ReactNode
  /** If filters are chosen. */
  onClear: (() => void) | undefined
}

function Empty({ searchTerm, text, action, onClear }: EmptyProps) {
  if (onClear)
    return (
      <EmptyState
        small
        icon={SearchX}
        text={t('filters.none')}
        action={
          <Button size="small" onClick={onClear}>
            {t('filters.clear')}
          </Button>
        }
      />
    )
  if (searchTerm.trim() !== '')
    return <EmptyState small icon={SearchX} text={t('sections.notFound', { words: searchTerm })} />
  return <EmptyState small icon={FileText} text={text ?? t('sections.pages.empty')} action={action} />
}
