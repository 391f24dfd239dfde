import type { App } from '../../app.ts'
import type { PageBlueprint } from '../../blueprints/blueprints.ts'
import type { StoredContent } from '../../content/content.ts'
import type { Model } from '../../content/save.ts'
import { merged } from '../../content/stored.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { type PageRow, selectPage, selectPageByUuid } from './queries.ts'
import { findTranslated } from './slugs/slugs.ts'

/** By its id, with slashes, or by the slugs of the language; by `page://` and its uuid; or by `@` and its uuid. */
export async function findPage(app: App, id: string, language: ContentLanguage): Promise<PageRow> {
  const { store } = app
  const uuid = uuidIn(id)
  if (!canBeId(id)) throw fail('page.notFound', { id })
  const found =
    uuid === undefined
      ? ((await selectPage(store, language, id)) ?? (await findTranslated(app, id, language)))
      : await selectPageByUuid(store, language, uuid)
  if (!found) throw fail('page.notFound', { id })
  return found
}

/** Not every store can be asked for a text with this sign in it. */
export const canBeId = (id: string) => !id.includes('\0')

/** Undefined for what is a path. */
export function uuidIn(id: string): string | undefined {
  return /^(?:page:\/\/|@)([\w-]+)$/.exec(id)?.[1]
}

/** As it is now. */
export async function reloadPage({ store }: App, uuid: string, language: ContentLanguage): Promise<PageRow> {
  const found = await selectPageByUuid(store, language, uuid)
  if (!found) throw fail('page.notFound', { id: ownerOf(uuid) })
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
  const form = blueprintOf(app, page)
  return { owner: ownerOf(page.uuid), form, reserved: reservedIn(form), keep: app.config.history.keep }
}

/** What a page has besides its content is changed by operations of its own. */
const reserved = new Set(['title', 'slug', 'uuid', 'template', 'sort', 'status', 'num'])
const always = new Set(['title', 'uuid'])

/** Whoever describes a field of such a name means that field. */
function reservedIn({ fields }: PageBlueprint): ReadonlySet<string> {
  const isMeant = (name: string) => fields.has(name) && !always.has(name)
  return [...reserved].some(isMeant) ? new Set([...reserved].filter(name => !isMeant(name))) : reserved
}

/** Whoever sends back all that was read does not want to change the uuid, or the slug in the language that was read. */
export function contentIn(
  { uuid, slug }: { uuid: string; slug?: string | undefined },
  sent: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const same = new Map([['uuid', uuid], ...(slug === undefined ? [] : [['slug', slug] as const])])
  const isSame = ([name, value]: [string, unknown]) => value !== undefined && same.get(name.toLowerCase()) === value
  return Object.fromEntries(Object.entries(sent).filter(entry => !isSame(entry)))
}

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
