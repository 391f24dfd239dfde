import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { ArrowLeft, ChevronRight, CircleAlert, FileText, Image, SearchX, User } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useDeferredValue, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { isSame } from './entries.ts'
import { pageSize, type PickerEntry, type PickerType, type PickerSource } from './sources.ts'
import { EntryThumb } from './thumb.tsx'

interface Props {
  type: PickerType
  source: PickerSource
  picked: readonly PickerEntry[]
  onToggle: (entry: PickerEntry) => void
  multiple: boolean
  /** No further entry can be chosen. */
  full: boolean
  /** Undefined if the list has no search. */
  searchTerm: string | undefined
  onSearchTerm: (searchTerm: string) => void
  canBrowseChildren: boolean
  language: string | undefined
  /** What to do where the list has no entries: upload a file, search elsewhere. */
  emptyAction: (isSearch: boolean) => ReactNode
}

export const icons = { files: Image, pages: FileText, users: User }

/** The entries of a source, with a search. Pages can be opened to show their children. */
export function PickerList(props: Props) {
  const { type, source, picked, onToggle, multiple, full, searchTerm = '', canBrowseChildren, language } = props
  const [ancestors, setAncestors] = useState<PickerEntry[]>([])
  const search = useDeferredValue(searchTerm.trim())
  const parentEntry = ancestors.at(-1)
  const below = parentEntry?.id.replaceAll('/', '+')
  const { data, error, isPending, isPlaceholderData, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: ['picker', ...source.key, search, below, language],
      queryFn: ({ pageParam }) => source.list({ search, page: pageParam, language, below }),
      initialPageParam: 1,
      getNextPageParam: ({ total }, pages) => (pages.length * pageSize < total ? pages.length + 1 : undefined),
      placeholderData: keepPreviousData,
    })
  const entries = data?.pages.flatMap(page => page.entries) ?? []
  const looked = hasNextPage ? undefined : data?.pages[0]?.looked

  return (
    <div className="flex min-h-0 flex-1 flex-col" onKeyDown={pressed}>
      {props.searchTerm !== undefined && (
        <div className="flex items-center gap-2 border-b px-5 py-3">
          <SearchInput label={t('fields.picker.search')} value={searchTerm} onChange={props.onSearchTerm} />
        </div>
      )}
      {parentEntry && search === '' && (
        <div className="flex items-center gap-2 border-b px-3 py-1">
          <IconButton
            size="small"
            icon={ArrowLeft}
            label={t('fields.picker.above')}
            onClick={() => setAncestors(ancestors.slice(0, -1))}
            className="rtl:rotate-180"
          />
          <span className="truncate font-medium">{parentEntry.text}</span>
        </div>
      )}
      <div className="min-h-0 flex-1 overflow-y-auto">
        {error ? (
          <EmptyState
            small
            tone="danger"
            icon={CircleAlert}
            text={t('fields.picker.failed')}
            action={
              <Button size="small" onClick={() => void refetch()}>
                {t('fields.picker.retry')}
              </Button>
            }
          />
        ) : isPending || (isPlaceholderData && entries.length === 0) ? (
          <div className="p-5">
            <Skeleton lines={5} className="h-7 w-full" />
          </div>
        ) : entries.length === 0 && !hasNextPage ? (
          <EmptyState
            small
            icon={search === '' ? icons[type] : SearchX}
            text={search === '' ? t(`fields.picker.none.${type}`) : t('search.none', { words: search })}
            action={props.emptyAction(search !== '')}
          />
        ) : (
          <ul>
            {entries.map(entry => {
              const isPicked = picked.some(other => isSame(other, entry))

              return (
                <li key={entry.id} className={cx('flex items-center border-b', isPicked && 'bg-accent-soft')}>
                  {multiple ? (
                    <Checkbox
                      className="min-w-0 flex-1 items-center! gap-3! px-5 py-2 hover:bg-hover"
                      value={isPicked}
                      disabled={full && !isPicked}
                      onChange={() => onToggle(entry)}
                      label={<Line entry={entry} type={type} />}
                    />
                  ) : (
                    <button
                      type="button"
                      aria-pressed={isPicked}
                      onClick={() => onToggle(entry)}
                      className="min-w-0 flex-1 px-5 py-2 text-start -outline-offset-2 hover:bg-hover"
                    >
                      <Line entry={entry} type={type} />
                    </button>
                  )}
                  {canBrowseChildren && entry.hasChildren && search === '' && (
                    <IconButton
                      className="me-3 rtl:rotate-180"
                      icon={ChevronRight}
                      label={t('fields.picker.below', { name: entry.text })}
                      onClick={() => setAncestors([...ancestors, entry])}
                    />
                  )}
                </li>
              )
            })}
          </ul>
        )}
        {hasNextPage && (
          <div className="p-3 text-center">
            <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('fields.picker.more')}
            </Button>
          </div>
        )}
        {looked !== undefined && (
          <p className="px-5 py-3 text-sm text-muted">{t('fields.picker.looked', { count: looked })}</p>
        )}
      </div>
    </div>
  )
}

/** Arrow keys move from the search through the results. */
function pressed(event: KeyboardEvent<HTMLDivElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const controls = [...event.currentTarget.querySelectorAll<HTMLElement>('[type=search], li [type=checkbox], li > [aria-pressed]')] // prettier-ignore
  const next = controls[controls.indexOf(document.activeElement as HTMLElement) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

function Line({ entry, type }: { entry: PickerEntry; type: PickerType }) {
  const email = type === 'users' && entry.email !== entry.text ? entry.email : undefined
  const info = entry.info || (type === 'pages' ? entry.id : email)

  return (
    <span className="flex min-w-0 items-center gap-3">
      <EntryThumb entry={entry} type={type} />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{entry.text}</span>
        {info && <span className="block truncate text-sm text-muted">{info}</span>}
      </span>
    </span>
  )
}
