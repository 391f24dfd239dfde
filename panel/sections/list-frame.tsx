import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { cloneElement, useState } from 'react'
import { Html } from '../fields/html.tsx'
import { formatNumber, t } from '../texts/texts.ts'
import { Card } from '../ui/card.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Input } from '../ui/input.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { Notice } from '../ui/notice.tsx'
import type { ListSection } from './item.ts'
import { linkTo } from './link.tsx'

interface Props {
  section: ListSection
  actions?: ReactNode
  /** Actions for what is selected. */
  bar?: ReactNode
  ref?: Ref<HTMLDivElement> | undefined
  searchTerm: string
  onSearchTerm: (searchTerm: string) => void
  onPage: (page: number) => void
  children: ReactNode
}

/** The common parts of lists of pages and files: headline, search and pagination. */
export function ListFrame({ section, actions, bar, ref, searchTerm, onSearchTerm, onPage, children }: Props) {
  const { options, errors, pagination } = section
  const link = options.link ? linkTo(options.link) : undefined
  const problems = Object.values(errors).flatMap(({ message }) => Object.values(message))
  const { headline } = options
  return (
    <div ref={ref} className="flex min-w-0 flex-col gap-2">
      <Card
        flush
        title={
          <span className="flex items-baseline gap-2">
            <span>{link ? cloneElement(link, { className: 'hover:underline', children: headline }) : headline}</span>
            {pagination.total > 0 && (
              <span className="text-sm font-normal text-muted tabular-nums">{formatNumber(pagination.total)}</span>
            )}
          </span>
        }
        actions={actions}
      >
        {bar}
        {options.search && (pagination.total > 0 || searchTerm !== '') && (
          <div className="border-b p-2">
            <SearchInput
              value={searchTerm}
              onChange={onSearchTerm}
              label={t('sections.search', { name: headline })}
              placeholder={t('sections.search.short')}
            />
          </div>
        )}
        {children}
        <Pager pagination={pagination} name={headline} onPage={onPage} />
      </Card>
      {problems.map(text => (
        <Notice key={text} tone="danger">
          {text}
        </Notice>
      ))}
      {options.help && (
        <div className="rich text-sm text-muted">
          <Html value={options.help} />
        </div>
      )}
    </div>
  )
}

function Pager({
  pagination,
  name,
  onPage,
}: {
  pagination: ListSection['pagination']
  name: string
  onPage: (page: number) => void
}) {
  const { page, total, offset, limit } = pagination
  const last = Math.ceil(total / limit)
  if (last <= 1) return null
  return (
    <nav
      aria-label={t('sections.pager', { name })}
      className="flex items-center justify-end gap-1 border-t px-2 py-1.5 text-sm text-muted"
    >
      <span className="me-auto ps-1 tabular-nums">
        {t('sections.range', { from: offset + 1, to: Math.min(offset + limit, total), total })}
      </span>
      <IconButton
        size="small"
        icon={ChevronLeft}
        label={t('sections.previous')}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
        className="rtl:rotate-180"
      />
      {last > 2 && <PageInput key={page} page={page} last={last} onPage={onPage} />}
      <IconButton
        size="small"
        icon={ChevronRight}
        label={t('sections.next')}
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
        className="rtl:rotate-180"
      />
    </nav>
  )
}

function PageInput({ page, last, onPage }: { page: number; last: number; onPage: (page: number) => void }) {
  const [typed, setTyped] = useState(String(page))
  function go() {
    const target = Math.min(Math.max(Math.trunc(Number(typed)) || page, 1), last)
    setTyped(String(target))
    if (target !== page) onPage(target)
  }
  return (
    <Input
      aria-label={t('sections.page', { last })}
      inputMode="numeric"
      value={typed}
      onChange={setTyped}
      onBlur={go}
      onKeyDown={event => event.key === 'Enter' && go()}
      className="w-16"
    />
  )
}
