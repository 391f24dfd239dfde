import { useQueryClient } from '@tanstack/react-query'
import { Images } from 'lucide-react'
import { cloneElement, type PointerEvent, type ReactNode, useDeferredValue, useState } from 'react'
import { useContentLanguage } from '../app/language.ts'
import { keys } from '../app/query.ts'
import { paginatedQuery, PaginatedList, usePaginated } from '../system/paginated-list.tsx'
import { formatDate, formatNumber, formatSize, t } from '../texts/texts.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { ListItem } from '../ui/list-item.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { LayoutToggle, layout } from './layout.tsx'
import { fileLink } from './link.tsx'
import { type FileBrief, type FileParent, fileQuery, filesOf, keyOf } from './parent.ts'
import { FileThumb } from './thumb.tsx'

const pageSize = 60

interface Props {
  parent: FileParent
  /** Shown if there are no files. */
  empty: ReactNode
}

/** The files of a page, the site or an account, as a grid or a list, with a search. */
export function FileBrowser({ parent, empty }: Props) {
  const [typed, setTyped] = useState('')
  const search = useDeferredValue(typed.trim())
  const chosenLayout = layout.use()
  const queryClient = useQueryClient()
  const { code: language } = useContentLanguage()
  const files = usePaginated(
    paginatedQuery<FileBrief>(keys.files(keyOf(parent), 'list', search, language), pageSize, paging =>
      filesOf(parent).list({ ...paging, search, language }),
    ),
    { keep: true },
  )
  const { total = 0 } = files

  /** Prefetches the file under the pointer. */
  const prefetchHovered = ({ target }: PointerEvent) => {
    const name = (target as Element).closest('[data-file]')?.getAttribute('data-file')
    if (name) void queryClient.prefetchQuery(fileQuery(parent, name, language))
  }

  // Without files there is no search bar.
  if (total === 0 && search === '')
    return (
      <PaginatedList query={files} loading={<Placeholder />} empty={empty}>
        {() => null}
      </PaginatedList>
    )

  return (
    <div className="flex flex-col gap-4" onPointerOver={prefetchHovered}>
      <div className="flex flex-wrap items-center gap-2">
        <SearchInput
          label={t('files.search')}
          value={typed}
          onChange={setTyped}
          className="flex-1 basis-40 sm:max-w-72"
        />
        <p role="status" className="text-sm text-muted">
          {t('files.count', { count: total })}
        </p>
        <div className="ms-auto">
          <LayoutToggle />
        </div>
      </div>
      <PaginatedList
        query={files}
        loading={<Placeholder />}
        empty={<EmptyState icon={Images} text={t('files.none.found', { words: search })} />}
      >
        {items =>
          chosenLayout === 'grid' ? <Grid parent={parent} files={items} /> : <Rows parent={parent} files={items} />
        }
      </PaginatedList>
    </div>
  )
}

interface Shown {
  parent: FileParent
  files: readonly FileBrief[]
}

function Grid({ parent, files }: Shown) {
  return (
    <ul
      aria-label={t('files.title')}
      className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-3 max-sm:grid-cols-2"
    >
      {files.map(file => (
        <li
          key={file.uuid}
          data-file={file.filename}
          className="relative flex flex-col overflow-hidden rounded-lg border bg-surface transition-colors hover:border-edge has-[:focus-visible]:border-focus"
        >
          <FileThumb file={file} size="medium" className="aspect-4/3 w-full" />
          <div className="min-w-0 border-t px-3 py-2">
            {cloneElement(fileLink(parent, file.filename), {
              dir: 'ltr',
              className:
                'block truncate text-left font-medium after:absolute after:inset-0 after:rounded-lg rtl:text-right',
              title: file.filename,
              children: file.filename,
            })}
            <p className="truncate text-sm text-muted">
              <bdi>{fileInfo(file)}</bdi>
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

function Rows({ parent, files }: Shown) {
  return (
    <ul aria-label={t('files.title')} className="divide-y overflow-hidden rounded-lg border bg-surface">
      {files.map(file => (
        <li key={file.uuid} data-file={file.filename}>
          <ListItem
            title={file.filename}
            info={fileInfo(file)}
            image={<FileThumb file={file} cover className="size-9 rounded-sm" />}
            after={
              <span className="text-sm text-muted max-sm:hidden">
                {formatDate(file.modified, { dateStyle: 'medium' })}
              </span>
            }
            render={fileLink(parent, file.filename)}
          />
        </li>
      ))}
    </ul>
  )
}

/** `1200 × 800 · 340 KB` */
export function fileInfo({ dimensions, size: bytes }: Pick<FileBrief, 'dimensions' | 'size'>): string {
  const size =
    dimensions && dimensions.width > 0 ? [`${formatNumber(dimensions.width)} × ${formatNumber(dimensions.height)}`] : []
  return [...size, formatSize(bytes)].join(' · ')
}

function Placeholder() {
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-3 max-sm:grid-cols-2">
      {Array.from({ length: 6 }, (_, index) => (
        <Skeleton key={index} className="h-44 w-full" />
      ))}
    </div>
  )
}
