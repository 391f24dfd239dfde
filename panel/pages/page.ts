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
  /** The templates that it can be changed to. */
  blueprints: { name: string; title: string }[]
  options: Readonly<Record<string, boolean>>
  parents: PageBrief[]
  hasChildren: boolean
  hasDrafts: boolean
  hasFiles: boolean
  isSortable: boolean
  /** The scheduled status and its time. */
  schedule: {
    status: Status
    at: string
    problem: string | null
    publishChanges: boolean
    language: string | null
  } | null
  /** Validation errors of the stored content, by the names of fields and sections. */
  errors: Readonly<Record<string, { label: string; message: Record<string, string> }>>
  modified: string
  /** The neighbouring pages with the same status. */
  next: PageBrief | null
  prev: PageBrief | null
}

export const idOf = ({ id }: PageBrief): string => toId(id)

const fields = [
  'blueprint', 'blueprints', 'content', 'errors', 'hasChildren', 'hasDrafts', 'hasFiles', 'id', 'isSortable', 'modified', 'next', 'num',
  'options', 'parents', 'prev', 'previewUrl', 'revision', 'schedule', 'slug', 'status', 'template', 'title', 'url', 'uuid',
] as const // prettier-ignore

/** Reads the page with everything that its screen needs. */
export async function readPage(id: string, language: string | undefined): Promise<PageModel> {
  const page = (await client.pages.get({ id, language, select: fields })) as unknown as PageModel
  // Flat-file sites store the uuid among the fields, but it is not a field of the form.
  const { uuid: _, ...content } = page.content
  return { ...page, content }
}

let early: { id: string; language: string | undefined; page: Promise<PageModel> } | undefined

/** Starts to read the page in the URL while the code of its screen loads. */
export function readPageEarly(id: string, language: string | undefined): void {
  early = { id, language, page: readPage(id, language) }
  early.page.catch(() => {}) // handled by the caller of `takeEarlyPage`
}

/** The page that was read early. It is used once, because the page may change later. */
export function takeEarlyPage(id: string, language: string | undefined): Promise<PageModel> | undefined {
  const taken = early
  early = undefined
  return taken?.id === id && taken.language === language ? taken.page : undefined
}
