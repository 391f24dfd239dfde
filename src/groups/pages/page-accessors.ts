import type { App } from '../../app.ts'
import type { ItemAccessors, SimpleValue } from '../../content/collection.ts'
import type { ActorContext } from '../../access/actor.ts'
import { filterValue } from '../../content/filter-value.ts'
import { visibleFields, visibleContent } from '../../content/private.ts'
import { pageBlueprintOf, contentOf, ownerOfPage, titleOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'

/** Properties, besides the content, that pages can be filtered and sorted by. */
const properties: Readonly<Record<string, (page: PageRow, app: App) => SimpleValue>> = {
  created: page => page.created_at,
  id: page => page.path,
  intendedTemplate: page => page.template,
  isDraft: page => page.status === 'draft',
  isListed: page => page.status === 'listed',
  isUnlisted: page => page.status === 'unlisted',
  modified: page => page.modified_at,
  num: page => page.num,
  slug: page => page.slug,
  status: page => page.status,
  template: page => page.template,
  title: (page, app) => titleOfPage(app, page),
  uuid: page => ownerOfPage(page.uuid),
}

/**
 * How pages are filtered, sorted and searched. Returns data only, so that a filter name cannot reach a method of the row.
 */
export function pageAccessors(ctx: ActorContext): ItemAccessors<PageRow> {
  const { app } = ctx
  const textsOf = (page: PageRow) => visibleContent(ctx, pageBlueprintOf(app, page).fields, contentOf(app, page))
  return {
    id: page => page.path,
    field: (page, name) =>
      Object.hasOwn(properties, name)
        ? properties[name]!(page, app)
        : filterValue(visibleFields(ctx, pageBlueprintOf(app, page).fields), textsOf(page), name),
    texts: page => ({ ...textsOf(page), title: titleOfPage(app, page), id: page.path }),
    weightedFields: ['id', 'title'],
  }
}

/** Names that pages can be filtered and sorted by: properties, and the fields that the caller may see. */
export function isPageFilterField(ctx: ActorContext, name: string): boolean {
  const { blueprints } = ctx.app
  if (Object.hasOwn(properties, name)) return true
  const lowerCaseName = name.toLowerCase()
  return blueprints
    .templates('pages')
    .some(template => visibleFields(ctx, blueprints.page(template).fields).has(lowerCaseName))
}
