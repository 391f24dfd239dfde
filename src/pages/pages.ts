import type { App } from '../app.ts'
import type { PageBlueprint } from '../blueprints/blueprints.ts'
import type { StoredContent } from '../content/content.ts'
import type { Model } from '../content/save.ts'
import { merged } from '../content/stored.ts'
import { fail } from '../errors.ts'
import type { ContentLanguage } from '../http/look.ts'
import { type PageRow, selectPage, selectPageByUuid } from './queries.ts'

/** By its id, with slashes; by `page://` and its uuid; or by `@` and its uuid. */
export async function findPage({ store }: App, id: string, language: ContentLanguage): Promise<PageRow> {
  const [, uuid] = /^(?:page:\/\/|@)(\w+)$/.exec(id) ?? []
  const found =
    uuid === undefined ? await selectPage(store, language, id) : await selectPageByUuid(store, language, uuid)
  if (!found) throw fail('page.notFound', { id })
  return found
}

/** By what the content of a page is known. */
export function ownerOf(uuid: string): string {
  return `page://${uuid}`
}

export function blueprintOf({ blueprints }: App, { template }: { template: string }): PageBlueprint {
  return blueprints.page(template)
}

/** A page as something that has content. */
export function modelOf(app: App, page: { uuid: string; template: string }): Model {
  return { owner: ownerOf(page.uuid), form: blueprintOf(app, page), reserved }
}

/** What a page has besides its content is changed by operations of its own. */
const reserved = new Set(['title', 'slug', 'uuid', 'template', 'sort', 'status', 'num'])

const parsed = new WeakMap<PageRow, StoredContent>()

/** What is stored of a page in the language it was read for. Taken apart at most once. */
export function contentOf(app: App, page: PageRow): StoredContent {
  let content = parsed.get(page)
  if (!content) parsed.set(page, (content = merged(page, blueprintOf(app, page).fields)))
  return content
}

export function titleOf(app: App, page: PageRow): string {
  return contentOf(app, page)['title'] || page.slug
}
