import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { t } from '../texts/texts.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { parentId, toId } from './id.ts'
import { idOf, type PageBrief, type PageModel } from './page.ts'
import { prefetchPage } from './prefetch.ts'

/** In longer lists one goes back to the list. */
const most = 1000

/** The pages before and after this one, of the same status. */
export function Siblings({ page, language }: { page: PageModel; language: string | undefined }) {
  const parent = parentId(idOf(page))
  const { status } = page
  const { data } = useQuery({
    queryKey: keys.children(parent ?? '', 'row', status, language),
    queryFn: async () => {
      const asked = { status, limit: most, select: ['id', 'title'], language }
      const { data: all } = await (parent === undefined
        ? client.site.children.list(asked)
        : client.pages.children.list({ id: parent, ...asked }))
      return all as PageBrief[]
    },
    staleTime: 60_000,
  })
  const at = data?.findIndex(({ id }) => id === page.id) ?? -1
  const [before, after] = at < 0 ? [] : [data![at - 1], data![at + 1]]
  if (!before && !after) return null
  return (
    <div className="flex items-center">
      <Step icon={ChevronLeft} to={before} label="pages.before" language={language} />
      <Step icon={ChevronRight} to={after} label="pages.after" language={language} />
    </div>
  )
}

interface StepProps {
  to: PageBrief | undefined
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
