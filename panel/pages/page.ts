import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import type { Blueprint } from '../editor/blueprint.ts'
import type { Content } from '../editor/thing.ts'
import { toId } from './id.ts'

export type Status = 'draft' | 'unlisted' | 'listed'

export interface PageBrief {
  id: string
  title: string
}

export interface PageModel extends PageBrief {
  slug: string
  status: Status
  num: number | null
  template: string
  uuid: string
  url: string
  previewUrl: string | null
  revision: number
  content: Content
  blueprint: Blueprint
  /** What it can be changed to. */
  blueprints: { name: string; title: string }[]
  options: Readonly<Record<string, boolean>>
  parents: PageBrief[]
  hasChildren: boolean
  hasDrafts: boolean
  hasFiles: boolean
  isSortable: boolean
  /** What it is to become, and when. */
  schedule: {
    status: Status
    at: string
    problem: string | null
    publishChanges: boolean
    language: string | null
  } | null
  /** What the blueprint finds wrong with what is stored, by the names of fields and sections. */
  errors: Readonly<Record<string, { label: string; message: Record<string, string> }>>
  modified: string
  /** The pages beside it, of the same status. */
  next: PageBrief | null
  prev: PageBrief | null
}

const fields = [
  'blueprint', 'blueprints', 'content', 'errors', 'hasChildren', 'hasDrafts', 'hasFiles', 'id', 'isSortable', 'modified', 'next', 'num',
  'options', 'parents', 'prev', 'previewUrl', 'revision', 'schedule', 'slug', 'status', 'template', 'title', 'url', 'uuid',
] as const // prettier-ignore

/** Everything its screen needs. */
export const pageQuery = (id: string, language: string | undefined) =>
  queryOptions({
    queryKey: keys.page(id, 'whole', language),
    queryFn: async () => {
      const page = (await client.pages.get({ id, language, select: fields })) as unknown as PageModel
      // It stands among the fields where sites are files; a field it is not.
      const { uuid: _, ...content } = page.content
      return { ...page, content }
    },
    staleTime: 5_000,
    // An open page notices that it has become what was planned.
    refetchInterval: query => untilScheduled(query.state.data?.schedule),
  })

/** In milliseconds: when to look whether a planned change is done. The server may be a little late, and clocks differ. */
function untilScheduled(schedule: PageModel['schedule'] | undefined): number | false {
  if (!schedule || schedule.problem !== null) return false
  const left = new Date(schedule.at).getTime() - Date.now()
  return Math.min(Math.max(left + 1000, 3000), 60 * 60_000)
}

/** What a page consists of has changed, or where it is: everything that lists pages is asked again. */
export async function refreshPages(queryClient: QueryClient): Promise<void> {
  await Promise.all(
    [keys.pages, ['children'], ['sections'], ['site']].map(queryKey => queryClient.invalidateQueries({ queryKey })),
  )
}

export const idOf = ({ id }: PageBrief): string => toId(id)
