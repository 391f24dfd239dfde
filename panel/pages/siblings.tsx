import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { toId } from './id.ts'
import type { PageBrief, PageModel } from './page.ts'
import { prefetchPage } from './prefetch.ts'

/** Links to the previous and next page with the same status, on wide screens. */
export function Siblings({ page: { prev, next }, language }: { page: PageModel; language: string | undefined }) {
  if (!prev && !next) return null
  return (
    <div className="flex items-center max-sm:hidden">
      <Step icon={ChevronLeft} to={prev} label="pages.before" language={language} />
      <Step icon={ChevronRight} to={next} label="pages.after" language={language} />
    </div>
  )
}

interface StepProps {
  to: PageBrief | null
  label: 'pages.before' | 'pages.after'
  icon: typeof ChevronLeft
  language: string | undefined
}

function Step({ to, label, icon: Icon, language }: StepProps) {
  const queryClient = useQueryClient()
  if (!to) return <IconButton icon={Icon} label={t(label, { title: '–' })} disabled className="rtl:rotate-180" />
  const id = toId(to.id)
  const text = t(label, { title: to.title })
  return (
    <Link
      to="/pages/$id"
      params={{ id }}
      aria-label={text}
      data-tip={text}
      onPointerEnter={() => void prefetchPage(queryClient, id, language)}
      className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink rtl:rotate-180"
    >
      <Icon aria-hidden="true" />
    </Link>
  )
}
