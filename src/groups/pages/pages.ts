import type { App } from '../../app.ts'
import type { PageBlueprint } from '../../blueprints/blueprints.ts'
import type { Fields } from '../../blueprints/fields/field.ts'
import { perField } from '../../blueprints/fields/per-field.ts'
import type { StoredContent } from '../../content/content.ts'
import type { Model } from '../../content/save.ts'
import { merged } from '../../content/stored.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { type PageRow, selectPage, selectPageByUuid } from './queries.ts'
import { findTranslated } from './slugs/slugs.ts'

/**
 * Finds a page by its id (with slashes), by its path of translated slugs, by `page://` and uuid, or by `@` and uuid.
 */
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

/** PostgreSQL rejects texts with a NUL character. */
export const canBeId = (id: string) => !id.includes('\0')

/** Undefined if the id is a path. */
export function uuidIn(id: string): string | undefined {
  return /^(?:page:\/\/|@)([\w-]+)$/.exec(id)?.[1]
}

/** The current row. */
export async function reloadPage({ store }: App, uuid: string, language: ContentLanguage): Promise<PageRow> {
  const found = await selectPageByUuid(store, language, uuid)
  if (!found) throw fail('page.notFound', { id: ownerOfPage(uuid) })
  return found
}

/** The owner URI of the content of a page. */
export function ownerOfPage(uuid: string): string {
  return `page://${uuid}`
}

export function pageBlueprintOf({ blueprints }: App, { template }: { template: string }): PageBlueprint {
  return blueprints.page(template)
}

/** A page as a content model. */
export function pageModelOf(app: App, page: { uuid: string; template: string }): Model {
  const form = pageBlueprintOf(app, page)
  return { owner: ownerOfPage(page.uuid), form, reserved: reservedIn(form.fields), keep: app.config.history.keep }
}

/** Properties that are not content: each is changed by an operation of its own. */
const reserved = new Set(['title', 'slug', 'uuid', 'template', 'sort', 'status', 'num'])
const alwaysReserved = new Set(['title', 'uuid'])

/** A field of the blueprint with a reserved name takes precedence, except for `title` and `uuid`. */
const reservedIn = perField((fields: Fields): ReadonlySet<string> => {
  const takesPrecedence = (name: string) => fields.has(name) && !alwaysReserved.has(name)
  return new Set([...reserved].filter(name => !takesPrecedence(name)))
})

/**
 * Drops an unchanged uuid, and an unchanged slug in the language of the request: clients send back the whole content
 * that they read.
 */
export function pageContentIn(
  { uuid, slug }: { uuid: string; slug?: string | undefined },
  sent: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const changed: [string, unknown][] = []
  for (const [key, value] of Object.entries(sent)) {
    const name = key.toLowerCase()
    if (name === 'uuid' && value === uuid) continue
    if (name === 'slug' && slug !== undefined && value === slug) continue
    changed.push([key, value])
  }
  return Object.fromEntries(changed)
}

const parsed = new WeakMap<PageRow, StoredContent>()
const noFields: { fields: Fields } = { fields: new Map() }

/** The content of a page in the language it was read for. Parsed at most once per row. */
export function contentOf(app: App, page: PageRow): StoredContent {
  let content = parsed.get(page)
  if (!content) {
    // Without a text in the default language there is nothing to merge, so the blueprint is not needed.
    const { fields } = page.base ? pageBlueprintOf(app, page) : noFields
    parsed.set(page, (content = merged(page, fields)))
  }
  return content
}

export function titleOfPage(app: App, page: PageRow): string {
  return (parsed.has(page) ? undefined : firstTitle(page)) ?? (contentOf(app, page)['title'] || page.slug)
}

const titleFirst = '{"title":"'

/**
 * Lists show little more than titles, and content begins with it: parsing the rest takes longer than showing the page.
 * Undefined if it is elsewhere, empty, or has escaped characters.
 */
function firstTitle({ own, base }: PageRow): string | undefined {
  if (base || !own?.startsWith(titleFirst)) return undefined
  const title = own.slice(titleFirst.length, own.indexOf('"', titleFirst.length))
  return title === '' || title.includes('\\') ? undefined : title
}
