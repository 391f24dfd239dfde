import { client } from '../app/client.ts'
import { toId } from './id.ts'

export type Status = PageModel['status']

export type PageBrief = Pick<PageModel, 'id' | 'title'>

export type PageModel = Awaited<ReturnType<typeof readPage>>

export const pageIdOf = ({ id }: Pick<PageModel, 'id'>): string => toId(id)

/** For requests that must find the page wherever it is by then. */
export const uuidIdOf = ({ uuid }: { uuid: string }): string => `@${uuid.slice('page://'.length)}`

/** Whether the user may change what visitors read on this page. Roles and blueprints that do not mention it allow it. */
export const canPublish = ({ options }: Pick<PageModel, 'options'>): boolean => options['publish'] !== false

/** A page with the status draft needs no `pages.publish` to be changed; a published one does. */
export const canChangeNow = (page: Pick<PageModel, 'options' | 'status'>): boolean =>
  page.status === 'draft' || canPublish(page)

const select = {
  blueprint: ['name', 'num', 'status', 'tabs', 'title'], blueprints: '', content: '', errors: '', hasChildren: '', hasDrafts: '',
  hasFiles: '', id: '', isSortable: '', modified: '', next: '', num: '', options: '', parents: ['id', 'title'], prev: '',
  previewUrl: '', release: '', review: '', revision: '', schedule: '', slug: '', status: '', template: '', title: '', url: '', uuid: '',
} as const // prettier-ignore

/** Reads the page with everything that its screen needs. */
export async function readPage(id: string, language: string | undefined) {
  const page = await client.pages.get({ id, language, select })
  // Flat-file sites store the uuid among the fields, but it is not a field of the form.
  const { uuid: _, ...content } = page.content
  return { ...page, content }
}

let created: string | undefined

/** Remembers a page that was just created: its screen focuses the first field. */
export const markCreated = (id: string): void => void (created = id)

/** Whether the page was just created. True once. */
export function takeCreated(id: string): boolean {
  if (created !== id) return false
  created = undefined
  return true
}

let early: { id: string; language: string | undefined; page: Promise<PageModel> } | undefined

/** Starts to read the page in the URL while the code of its screen loads. */
export function readPageEarly(id: string, language: string | undefined): void {
  early = { id, language, page: readPage(id, language) }
  early.page.catch(() => {}) // handled by the caller of `takeEarlyPage`
}

/** The page that was read early. It is used once, because the page may change later. */
export function takeEarlyPage(id: string, language: string | undefined): Promise<PageModel> | undefined {
  const prefetched = early
  early = undefined
  return prefetched?.id === id && prefetched.language === language ? prefetched.page : undefined
}
