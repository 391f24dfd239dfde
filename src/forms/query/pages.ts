import type { Status } from '../../blueprints/blueprints.ts'
import { callable, queryText, type QueryValue } from '../../blueprints/query.ts'
import { select, type ItemAccessors } from '../../content/collection.ts'
import type { RequestContext } from '../../http/context.ts'
import { paginate } from '../../http/paging.ts'
import { listMatching } from '../../groups/pages/children/list.ts'
import { pageFileParent } from '../../groups/pages/files.ts'
import { childrenOf, draftsOf, hasChildren, parentOfPage, parentsOf, siblingsOf } from '../../groups/pages/related.ts'
import { pageBlueprintOf, contentOf, ownerOfPage, titleOfPage } from '../../groups/pages/pages.ts'
import { type PageRow, withContents } from '../../groups/pages/queries.ts'
import { isError, isHome } from '../../groups/pages/rules.ts'
import { type PageSearch, selectInOrder } from '../../groups/pages/search/queries.ts'
import { findPages } from '../../groups/pages/search/search.ts'
import { slugOf, urlOf } from '../../groups/pages/slugs/slugs.ts'
import { pageAccessors } from '../../groups/pages/page-accessors.ts'
import { listableTemplates } from '../../access/authorize/pages.ts'
import { hasTemplate } from '../../access/authorize/templates.ts'
import { fieldValues, findFirst } from './fields.ts'
import { filesOf } from './files.ts'
import { type Filters, filteredSlice, hasFilters } from './filter.ts'
import { type ListQuery, filterOf, type ModelKind, listValue, type ListSlice, type Rows, modelValue } from './lists.ts'
import { countTree, selectTree, selectTreeSlice } from './queries.ts'
import type { QueryContext } from './context.ts'

export function pageKind(context: QueryContext): ModelKind<PageRow> {
  return {
    name: 'page',
    value: page => pageValue(context, page),
    accessors: accessorsIn(context),
    filters: {
      listed: ({ status }) => status === 'listed',
      unlisted: ({ status }) => status === 'unlisted',
      published: ({ status }) => status !== 'draft',
      drafts: ({ status }) => status === 'draft',
      template: ({ template }, names) => names.length === 0 || names.includes(template),
    },
  }
}

/** Properties of the page take precedence over fields of the same name. */
function pageValue(context: QueryContext, page: PageRow): QueryValue {
  const { ctx } = context.budget
  const { app } = ctx
  const { path, status, num, template, uuid } = page
  const blueprint = pageBlueprintOf(app, page)
  const content = fieldValues(context, blueprint.fields, contentOf(app, page))
  return {
    ...content,
    ...familyOf(context, page),
    ...filesOf(context, pageFileParent(page, app)),
    content,
    depth: path.split('/').length,
    id: path,
    intendedTemplate: template,
    isDraft: status === 'draft',
    isErrorPage: isError(app, page),
    isHomePage: isHome(app, page),
    isListed: status === 'listed',
    isPublished: status !== 'draft',
    isUnlisted: status === 'unlisted',
    num,
    slug: callable(() => slugOf(ctx, page)),
    status,
    template,
    title: titleOfPage(app, page),
    url: callable(() => urlOf(ctx, page)),
    uuid: ownerOfPage(uuid),
  }
}

function familyOf(context: QueryContext, page: PageRow): Record<string, QueryValue> {
  const { ctx } = context.budget
  return {
    ...childrenIn(context, page),
    find: callable(id => findFirst(context, 'page', [`${page.path}/${queryText(id)}`])),
    parent: callable(async () => {
      const parent = await context.budget.read(`parent ${page.uuid}`, () => parentOfPage(ctx, page))
      return parent ? modelValue(context.kinds.page, parent) : context.site()
    }),
    parents: callable(() =>
      listValue(context.kinds.page, () => context.budget.read(`parents ${page.uuid}`, () => parentsOf(ctx, page))),
    ),
    siblings: callable(() =>
      listValue(context.kinds.page, () => context.budget.read(`children ${page.parent}`, () => siblingsOf(ctx, page))),
    ),
  }
}

/** Lazy lists of the children of a page, or of the site (uuid `''`). */
export function childrenIn(context: QueryContext, { uuid }: { uuid: string }): Record<string, QueryValue> {
  const { budget } = context
  const { ctx } = budget
  const children = () => budget.read(`children ${uuid}`, () => childrenOf(ctx, { uuid }))
  const drafts = () => budget.read(`drafts ${uuid}`, () => draftsOf(ctx, { uuid }))
  const both = async () => [...(await children()), ...(await drafts())]
  const list = (rows: Rows<PageRow>, statuses: readonly Status[]) =>
    callable(() => pageList(context, () => rows, { parent: uuid, statuses }))
  return {
    children: list(children, published),
    childrenAndDrafts: list(both, [...published, 'draft']),
    drafts: list(drafts, ['draft']),
    hasChildren: callable(() => budget.read(`has ${uuid}`, () => hasChildren(ctx, { uuid }))),
  }
}

/** All published pages of the site. */
export function treeOf(context: QueryContext): QueryValue {
  const { budget } = context
  const rows = (where: PageConditions) => () =>
    budget.read(`tree ${JSON.stringify(where)}`, async () => {
      const { ctx } = budget
      const language = await ctx.language()
      return withContents(ctx.app.store, language, await selectTree(ctx.app.store, language, searchOf(ctx, where)))
    })
  return pageList(context, rows, { parent: undefined, statuses: published })
}

const published: readonly Status[] = ['listed', 'unlisted']

/** Conditions that the database can check. */
interface PageConditions {
  parent: string | undefined
  statuses: readonly Status[]
  templates?: readonly string[]
}

/**
 * A list that collects conditions on status, template and fields, and reads the database only when a result is needed.
 */
function pageList(
  context: QueryContext,
  rows: (where: PageConditions) => Rows<PageRow>,
  where: PageConditions,
  filters: Filters = {},
): QueryValue {
  const { ctx } = context.budget
  const kind = context.kinds.page
  const { statuses, templates } = where
  const matches = ({ status, template }: PageRow) =>
    statuses.includes(status) && (templates?.includes(template) ?? true)
  const less = (narrower: Partial<PageConditions>) => pageList(context, rows, { ...where, ...narrower }, filters)
  const also = (more: Filters) => pageList(context, rows, where, { ...filters, ...more })
  const only = (...allowed: Status[]) =>
    callable(() => less({ statuses: statuses.filter(one => allowed.includes(one)) }))
  const of = (names: readonly string[]) =>
    names.length === 0 ? less({}) : less({ templates: templates?.filter(name => names.includes(name)) ?? names })
  const read = async () => (await rows(where)()).filter(matches)
  const list = listValue(
    kind,
    hasFilters(filters) ? async () => select([await read()], kind.accessors, filters) : read,
    {
      readPage: query =>
        hasFilters(filters)
          ? filteredSlice(ctx, kind.accessors, searchOf(ctx, where), filters, query)
          : sliceOfPages(ctx, searchOf(ctx, where), query),
      parent: where.parent,
    },
  )
  const { sortBy } = list
  const filtered = callable((field, ...rest) => {
    const filter = filterOf(field, rest)
    const values = [filter.value].flat()
    if (filter.operator === '==' || filter.operator === 'in') {
      if (/^(intendedT|t)emplate$/.test(filter.field)) return of(values)
      if (filter.field === 'status') return less({ statuses: statuses.filter(one => values.includes(one)) })
    }
    return also({ filterBy: [...(filters.filterBy ?? []), filter] })
  })
  return Object.assign(list, {
    listed: only('listed'),
    unlisted: only('unlisted'),
    published: only('listed', 'unlisted'),
    drafts: only('draft'),
    template: callable((...names) => of(names.flat().map(queryText))),
    filterBy: filtered,
    filter: filtered,
    not: callable((...ids) => also({ not: [...[filters.not ?? []].flat(), ...ids.flat().map(queryText)] })),
    // A second `sortBy` sorts the sorted rows: the sort is stable, so the first order decides between equal keys.
    sortBy: filters.sortBy === undefined ? callable((...by) => also({ sortBy: by.map(queryText).join(' ') })) : sortBy,
  })
}

/** Restricts the templates to those that the caller may list. */
function searchOf(ctx: RequestContext, { parent, statuses, templates }: PageConditions): PageSearch {
  const listable = listableTemplates(ctx)
  if (!templates) return { parent, statuses, ...listable }
  return { parent, statuses, templates: templates.filter(name => hasTemplate(listable, name)), except: [] }
}

async function sliceOfPages(
  ctx: RequestContext,
  search: PageSearch,
  { searchTerm, ...paging }: ListQuery,
): Promise<ListSlice<PageRow>> {
  const { parent, statuses, ...templates } = search
  if (searchTerm !== '') return findPages(ctx, { q: searchTerm, parent, statuses, templates, ...paging })
  if (parent !== undefined)
    return listMatching(ctx, parent, { statuses, ...templates }, total => paginate(total, paging))
  const { store } = ctx.app
  const pagination = paginate(await countTree(store, search), paging)
  const uuids = await selectTreeSlice(store, search, pagination)
  return {
    pagination,
    read: async ({ offset, limit }) => {
      const from = offset - pagination.offset
      return selectInOrder(store, await ctx.language(), uuids.slice(from, from + limit))
    },
  }
}

/** Values as text: arguments in blueprint queries are compared with stored texts. */
function accessorsIn({ budget }: QueryContext): ItemAccessors<PageRow> {
  const accessors = pageAccessors(budget.ctx)
  return {
    ...accessors,
    field(page, name) {
      const value = accessors.field(page, name)
      if (Array.isArray(value)) return value.map(String)
      return value === undefined || value === null ? value : String(value)
    },
  }
}
