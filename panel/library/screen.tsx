import { useNavigate, useSearch } from '@tanstack/react-router'
import { Copy, Download, File, FolderInput, Images, ListChecks, SearchX, Trash2 } from 'lucide-react'
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { useContentLanguage } from '../app/language.ts'
import { can, useSession } from '../app/session.ts'
import { useDebounced } from '../app/use-debounced.ts'
import { LayoutToggle, layout } from '../files/layout.tsx'
import type { FileParent } from '../files/parent.ts'
import { DropZone, UploadButton, UploadList, useUploads } from '../files/upload.tsx'
import { toId } from '../pages/id.ts'
import { Items } from '../sections/items.tsx'
import { SelectionBar } from '../sections/selection-bar.tsx'
import { useSelection } from '../sections/use-selection.ts'
import { PaginatedList, usePaginated } from '../system/paginated-list.tsx'
import { library } from '../texts/en/library.ts'
import { addTexts, formatDate, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { isLibraryFiltered, type LibraryFilter, readFilter, sitePlace, withoutEmpty } from './filter.ts'
import { LibraryFilters } from './filters.tsx'
import { download, type FileOperation, useFileOperations } from './operations.ts'
import { itemOf, type LibraryFile, type LibraryItem, libraryQuery } from './queries.ts'
import { RefusedDialog } from './refused-dialog.tsx'

addTexts(library)

/** Lazy, because it has the tree of pages. */
const OperationDialog = lazy(async () => ({ default: (await import('./operation-dialog.tsx')).OperationDialog }))

const typingMs = 250

const actions = [
  { action: 'download', text: 'library.download', icon: Download, rights: [] },
  { action: 'copy', text: 'library.copy', icon: Copy, rights: ['files.create'] },
  { action: 'move', text: 'library.move', icon: FolderInput, rights: ['files.create', 'files.delete'] },
  { action: 'delete', text: 'action.delete', icon: Trash2, rights: ['files.delete'] },
] as const

/** All files of pages, of the site and of accounts. */
export function LibraryScreen() {
  const { user, system } = useSession()
  const { code: language } = useContentLanguage()
  const { filter, change } = useFilter()
  const files = usePaginated(libraryQuery(filter, language), { keep: true })
  const items = useMemo(
    () => files.items?.map(file => itemOf(file, system.title ?? '')) ?? [],
    [files.items, system.title],
  )
  const frame = useRef<HTMLDivElement>(null)
  const selection = useSelection<LibraryItem>(items, frame)
  const operations = useFileOperations()
  const [dialog, setDialog] = useState<FileOperation>()
  const shownAs = layout.use()
  const uploads = useUploads({ parent: parentOf(filter) })
  const canUpload = can(user, 'files.create')
  useTitleAndBreadcrumb(t('nav.files'), [{ text: t('nav.files') }])

  const selected = selection.items.map(({ file }) => file)
  const offered = actions
    .filter(({ rights }) => rights.every(right => can(user, right)))
    .map(({ action, text, icon }) => ({ action, text: t(text), icon }))

  async function run(place: string | null) {
    const results = await operations.run(dialog!, selected.map(movable), place)
    setDialog(undefined)
    if (results.length > 0) selection.keep(results.flatMap(({ uuid, error }) => (error ? uuid : [])))
  }

  return (
    <DropZone uploads={uploads} disabled={!canUpload} paste className="flex flex-1 flex-col">
      <PageHeader
        title={t('nav.files')}
        info={t('library.info')}
        actions={canUpload && <UploadButton uploads={uploads} variant="primary" />}
      />
      <div className="flex flex-col gap-3">
        <UploadList uploads={uploads} />
        <div className="flex flex-wrap items-center gap-2">
          <SearchField value={filter.q ?? ''} onChange={q => change({ q: q || undefined })} />
          <p role="status" className="text-sm text-muted">
            {files.total !== undefined && t('files.count', { count: files.total })}
          </p>
          <div className="ms-auto flex items-center gap-2">
            {!selection.isOn && items.length > 0 && (
              <Button variant="plain" icon={ListChecks} onClick={selection.start}>
                {t('bulk.select')}
              </Button>
            )}
            <LayoutToggle />
          </div>
        </div>
        <LibraryFilters filter={filter} onChange={change} />
        <div ref={frame} className="rounded-lg border bg-surface">
          {selection.isOn && (
            <SelectionBar
              label={t('library.selected')}
              selection={selection}
              shownItems={items}
              actions={offered}
              onAction={action => {
                if (action === 'download') void download(selected)
                else setDialog(action)
              }}
            />
          )}
          <PaginatedList
            query={files}
            empty={
              isLibraryFiltered(filter) ? (
                <EmptyState
                  icon={SearchX}
                  text={t('library.none.found')}
                  action={<Button onClick={() => change('nothing')}>{t('library.clear')}</Button>}
                />
              ) : (
                <EmptyState
                  icon={Images}
                  text={t('library.none')}
                  action={canUpload && <UploadButton uploads={uploads} />}
                />
              )
            }
          >
            {() => (
              <Items
                section={{
                  data: items,
                  options: {
                    layout: shownAs === 'grid' ? 'cards' : 'list',
                    headline: t('nav.files'),
                    size: 'auto',
                    columns: {},
                  },
                }}
                sortableCount={0}
                nameOf={({ text }) => text}
                onOrder={() => {}}
                selection={selection.isOn ? selection : undefined}
                defaultIcon={File}
                after={shownAs === 'grid' ? undefined : changedAt}
              />
            )}
          </PaginatedList>
        </div>
      </div>
      {dialog && (
        <Suspense>
          <OperationDialog
            operation={dialog}
            count={selected.length}
            busy={operations.isBusy}
            onClose={() => setDialog(undefined)}
            onConfirm={place => void run(place)}
          />
        </Suspense>
      )}
      {operations.refused.length > 0 && !dialog && (
        <RefusedDialog refused={operations.refused} onClose={operations.clearRefused} />
      )}
    </DropZone>
  )
}

const changedAt = ({ file }: LibraryItem) => (
  <time dateTime={file.modified} className="text-sm text-muted max-sm:hidden">
    {formatDate(file.modified, { dateStyle: 'medium' })}
  </time>
)

const movable = ({ uuid, filename, link, parent }: LibraryFile) => ({
  uuid,
  filename,
  link,
  place: parent.kind === 'site' ? null : parent.uuid,
})

/** New files belong to the page that the list is limited to, or else to the site. */
function parentOf({ place }: LibraryFilter): FileParent {
  return place === undefined || place === sitePlace ? { kind: 'site' } : { kind: 'page', id: toId(place) }
}

/** The filter in the address. Changing it does not add an entry to the history of the browser. */
function useFilter() {
  const navigate = useNavigate()
  const search: Record<string, unknown> = useSearch({ strict: false })
  const filter = readFilter(search)
  const change = (next: { [Name in keyof LibraryFilter]: LibraryFilter[Name] | undefined } | 'nothing') =>
    void navigate({
      to: '/files',
      search: next === 'nothing' ? {} : withoutEmpty({ ...filter, ...next }),
      replace: true,
      resetScroll: false,
    })
  return { filter, change }
}

/** The field for the search term. The list follows when typing pauses. */
function SearchField({ value, onChange }: { value: string; onChange: (searchTerm: string) => void }) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  // The filter was cleared elsewhere.
  if (value !== known) {
    setKnown(value)
    if (value === '') setTyped('')
  }
  const settled = useDebounced(typed.trim(), typingMs)
  const onSettled = useEffectEvent((searchTerm: string) => {
    if (searchTerm !== value) onChange(searchTerm)
  })
  useEffect(() => onSettled(settled), [settled])
  return (
    <SearchInput label={t('files.search')} value={typed} onChange={setTyped} className="flex-1 basis-40 sm:max-w-72" />
  )
}
