import type { ReactNode } from 'react'
import { toId } from '../pages/id.ts'
import { StateMarks } from '../pages/state-marks.tsx'
import { statusTone } from '../pages/status-mark.tsx'
import { linkTo } from '../sections/link.tsx'
import { ListItem } from '../ui/list-item.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import type { ListedPage } from './queries.ts'

interface Props {
  label: string
  pages: readonly ListedPage[]
  /** Below the title. */
  infoOf: (page: ListedPage) => ReactNode
  /** The content language in which a page is opened, if that is another one. */
  languageOf?: (page: ListedPage) => string | undefined
}

/** Pages with their marks. */
export function PageList({ label, pages, infoOf, languageOf }: Props) {
  return (
    <ul aria-label={label} className="divide-y">
      {pages.map(page => (
        <li key={page.uuid}>
          <PageItem page={page} info={infoOf(page)} language={languageOf?.(page)} />
        </li>
      ))}
    </ul>
  )
}

interface ItemProps {
  page: ListedPage
  info: ReactNode
  language?: string | undefined
}

/** A title that is not published yet is shown in place of the published one. */
export function PageItem({ page, info, language }: ItemProps) {
  return (
    <ListItem
      title={page.state.changes?.title ?? page.title}
      info={info}
      render={linkTo(`/pages/${toId(page.id)}`, language)}
      after={
        <span className="flex items-center gap-2 pe-1">
          <StateMarks state={page.state} />
          <StatusDot tone={statusTone[page.status]} label={page.state.statusLabel} />
        </span>
      }
    />
  )
}
