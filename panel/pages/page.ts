import { client } from '../app/client.ts'
import type { Blueprint } from '../editor/blueprint.ts'
import type { Content } from '../editor/content-resource.ts'
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

export const idOf = ({ id }: PageBrief): string => toId(id)

const fields = [
  'blueprint', 'blueprints', 'content', 'errors', 'hasChildren', 'hasDrafts', 'hasFiles', 'id', 'isSortable', 'modified', 'next', 'num',
  'options', 'parents', 'prev', 'previewUrl', 'revision', 'schedule', 'slug', 'status', 'template', 'title', 'url', 'uuid',
] as const // prettier-ignore

/** Everything its screen needs. */
export async function readPage(id: string, language: string | undefined): Promise<PageModel> {
  const page = (await client.pages.get({ id, language, select: fields })) as unknown as PageModel
  // It stands among the fields where sites are files; a field it is not.
  const { uuid: _, ...content } = page.content
  return { ...page, content }
}

let early: { id: string; language: string | undefined; page: Promise<PageModel> } | undefined

/** Begins to read the page of the address while the code of its screen is on its way. */
export function readPageEarly(id: string, language: string | undefined): void {
  early = { id, language, page: readPage(id, language) }
  early.page.catch(() => {}) // told to those who take it
}

/** What has been read already. Once: later the page may have changed. */
export function takeEarlyPage(id: string, language: string | undefined): Promise<PageModel> | undefined {
  const taken = early
  early = undefined
  return taken?.id === id && taken.language === language ? taken.page : undefined
}
