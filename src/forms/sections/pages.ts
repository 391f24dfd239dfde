import { type Section, statuses } from '../../blueprints/blueprints.ts'
import { select } from '../../content/collection.ts'
import type { RequestContext } from '../../http/context.ts'
import { showSlices, type Slices, slicesOf } from '../../http/list.ts'
import { listMatching, statusesOf } from '../../groups/pages/children/list.ts'
import { pageActions } from '../../groups/pages/options.ts'
import { pageBlueprintOf, contentOf, ownerOfPage, titleOfPage } from '../../groups/pages/pages.ts'
import { type PageRow, type PageFilter } from '../../groups/pages/queries.ts'
import { countChildren, kindsBelow } from '../../groups/pages/related.ts'
import { selectBatches, selectBatchesBy } from '../../groups/pages/search/queries.ts'
import { pagesBy } from '../../groups/pages/search/search.ts'
import { selectUuids } from '../../groups/pages/search/select-uuids.ts'
import { pageAccessors } from '../../groups/pages/page-accessors.ts'
import { canListPages, isPageActionAllowed, listableTemplates, canViewTemplate } from '../../access/authorize/pages.ts'
import { type TemplateFilter, hasTemplate } from '../../access/authorize/templates.ts'
import { namesInSetting } from '../../groups/pages/rules.ts'
import { stateOf } from '../../groups/pages/state.ts'
import { linkOfPage } from '../../groups/pages/view.ts'
import { imageFor } from '../pickers/images.ts'
import { dragTextOf } from '../pickers/pages.ts'
import { textFor } from '../pickers/texts.ts'
import { modelsIn } from '../query/lists.ts'
import type { Subject } from '../query/scope.ts'
import { ownerOfModel } from '../pickers/choices.ts'
import { templatesOf } from './blueprints.ts'
import { filtersOf, findInState, isFiltered, type Kind, narrowedBy } from './filters.ts'
import {
  type SectionQuery,
  clamped,
  errorsOf,
  isFull,
  layoutOf,
  limitOf,
  listOptions,
  parentOf,
  searchTermOf,
} from './list.ts'
import { cellsOf, columnsOf } from './table.ts'
import type { SectionContents, PagesSection } from './view.ts'
import { runQuery, type SectionContext } from './context.ts'

/** A pages section: the children of a page or of the site, or the results of its query. */
export async function showPages(
  context: SectionContext,
  section: Section,
  listQuery: SectionQuery,
): Promise<SectionContents<PagesSection>> {
  const parent = await parentOf(context, section)
  const slice = await pagesIn(context, section, parent, listQuery)
  const { total, inspected } = slice
  const { data, pagination } = await showSlices(slice, rows =>
    Promise.all(rows.map(page => itemOf(context, section, page, listQuery.states === 'true'))),
  )
  const isElsewhere = parent !== context.subject
  return {
    data,
    errors: await errorsOf(context, section, total),
    options: {
      add: canAdd(context, section, total),
      columns: await columnsOf(context, section, data[0] && pageBlueprintOf(context.ctx.app, data[0])),
      ...(await listOptions(context, section)),
      link: isElsewhere && parent?.kind === 'page' ? linkOfPage(parent.row) : isElsewhere && parent ? '/site' : null,
      sortable: isSortable(section, listQuery),
      ...(listQuery.states === 'true' && {
        filters: {
          place: `${ownerOfModel(context.subject)}/${section.name}`,
          ...filtersOf(context.ctx, await slice.kinds()),
          ...(inspected !== undefined && { looked: inspected }),
        },
      }),
    },
    pagination,
  }
}

interface SectionSlice extends Slices<PageRow> {
  /** Number of pages in the section, regardless of filters and the search term. */
  total: number
  /** How many pages were checked for the state of the filter, if not all of them were. */
  inspected?: number | undefined
  /** Of all pages in the section, for the choices of the filters. */
  kinds: () => Promise<readonly Kind[]>
}

/** Plain lists are paged by the database. With a query, a search term, a state, `sortBy` or `flip`, all pages are read. */
async function pagesIn(
  context: SectionContext,
  section: Section,
  parent: Subject | undefined,
  listQuery: SectionQuery,
): Promise<SectionSlice> {
  const { ctx } = context
  const limit = limitOf(section)
  const searchTerm = searchTermOf(section, listQuery)
  const { query: source, sortBy, flip = false } = section
  const uuid = parent?.kind === 'site' ? '' : parent?.kind === 'page' ? parent.row.uuid : undefined
  if (typeof source !== 'string' && uuid === undefined) return sliceOfRows([], [], listQuery, limit)
  const sectionFilter = pageFilterOf(context, section)
  const filter = narrowedBy(sectionFilter, listQuery)
  const { state } = listQuery
  const kinds = () => kindsBelow(ctx, uuid!, sectionFilter)
  const isUnfiltered = !isFiltered(listQuery)
  const isPlain = searchTerm === '' && sortBy === undefined && flip !== true
  if (typeof source !== 'string' && isPlain && state === undefined) {
    const slice = await listMatching(ctx, uuid!, filter, total => clamped(total, listQuery, limit))
    return {
      ...slice,
      total: isUnfiltered ? slice.pagination.total : await countChildren(ctx, uuid!, sectionFilter),
      kinds,
    }
  }
  const order = typeof sortBy === 'string' ? { sortBy } : {}
  const accessors = pageAccessors(ctx)
  if (typeof source === 'string') {
    const all = await foundBy(context, section, source)
    const { rows, inspected } = await matchingRows(ctx, all, listQuery)
    const sorted = await select([rows], accessors, order)
    const found = searchTerm === '' ? sorted : await select([sorted], accessors, { search: searchTerm })
    return { ...sliceOfRows(flip === true ? found.toReversed() : found, all, listQuery, limit), inspected }
  }
  const { store } = ctx.app
  const language = await ctx.language()
  const inState = state && (await findInState(ctx, { parent: uuid! }, filter, state))
  const batches = inState
    ? selectBatchesBy(store, language, inState.uuids)
    : selectBatches(store, language, { parent: uuid!, ...filter })
  const sorted = inState && isPlain ? inState.uuids : await selectUuids(batches, accessors, order)
  const found =
    searchTerm === ''
      ? sorted
      : await selectUuids(selectBatchesBy(store, language, sorted), accessors, { search: searchTerm })
  const slice = pagesBy(ctx, flip === true ? found.toReversed() : found, total => clamped(total, listQuery, limit))
  const total = isUnfiltered ? sorted.length : await countChildren(ctx, uuid!, sectionFilter)
  return { ...slice, total, inspected: inState?.inspected, kinds }
}

/** The pages in the result of a query that match the filters. */
async function matchingRows(ctx: RequestContext, all: PageRow[], listQuery: SectionQuery) {
  if (!isFiltered(listQuery)) return { rows: all, inspected: undefined }
  const { state } = listQuery
  const filter = narrowedBy({ statuses, templates: undefined, except: [] }, listQuery)
  const rows = all.filter(({ status, template }) => filter.statuses.includes(status) && hasTemplate(filter, template))
  if (state === undefined) return { rows, inspected: undefined }
  const { uuids, inspected } = await findInState(ctx, { uuids: rows.map(({ uuid }) => uuid) }, filter, state)
  const inState = new Set(uuids)
  return { rows: rows.filter(({ uuid }) => inState.has(uuid)), inspected }
}

/** Counts in the database, unless the section has a query. */
export async function countPages(context: SectionContext, section: Section): Promise<number> {
  if (typeof section['query'] === 'string') return (await foundBy(context, section, section['query'])).length
  const parent = await parentOf(context, section)
  if (parent?.kind !== 'site' && parent?.kind !== 'page') return 0
  return countChildren(context.ctx, parent.kind === 'site' ? '' : parent.row.uuid, pageFilterOf(context, section))
}

/** `all`: every page of the section. `found`: those that match the filters and the search term, in their order. */
function sliceOfRows(
  found: readonly PageRow[],
  all: readonly PageRow[],
  listQuery: SectionQuery,
  limit: number,
): SectionSlice {
  const pagination = clamped(found.length, listQuery, limit)
  const slices = slicesOf(pagination, found.slice(pagination.offset, pagination.offset + limit))
  return { ...slices, total: all.length, kinds: () => Promise.resolve(all) }
}

/** The statuses and templates of the section, restricted to templates that the caller may list. */
function pageFilterOf(
  { ctx }: SectionContext,
  { status = 'all', template, templates, templatesIgnore }: Section,
): PageFilter {
  const listable = listableTemplates(ctx)
  const [only, ignored] = [namesInSetting(templates ?? template), namesInSetting(templatesIgnore)]
  return { statuses: statusesOf(String(status)), ...narrowed(listable, only, ignored) }
}

function narrowed(listable: TemplateFilter, only: readonly string[], ignored: readonly string[]): TemplateFilter {
  if (only.length === 0 && !listable.templates) return { ...listable, except: [...listable.except, ...ignored] }
  const named = only.length === 0 ? listable.templates! : only
  return { templates: named.filter(name => hasTemplate(listable, name) && !ignored.includes(name)), except: [] }
}

async function foundBy(context: SectionContext, section: Section, source: string): Promise<PageRow[]> {
  const { ctx } = context
  const { templates, except } = pageFilterOf(context, section)
  const models = (await modelsIn(await runQuery(context, source))) ?? []
  return models
    .flatMap(({ kind, row }) => (kind === 'page' ? [row as PageRow] : []))
    .filter(page => canListPages(ctx, pageBlueprintOf(ctx.app, page).options))
    .filter(({ template }) => hasTemplate({ templates, except }, template))
}

async function itemOf(context: SectionContext, section: Section, page: PageRow, withState: boolean) {
  const { ctx } = context
  const subject = { kind: 'page', row: page } as const
  const rights = pageActions(ctx, page)
  const may = (action: string) => rights[action] === true
  const [state, image, info = '', text = titleOfPage(ctx.app, page)] = await Promise.all([
    withState ? stateOf(page, ctx) : undefined,
    imageFor(ctx, subject, section['image'], layoutOf(section)),
    textFor(ctx, section['info'], subject),
    textFor(ctx, section['text'], subject),
  ])
  const link = linkOfPage(page)
  return {
    dragText: dragTextOf(ctx, page),
    id: page.path,
    image,
    info,
    link,
    parent: page.path.includes('/') ? page.path.slice(0, page.path.lastIndexOf('/')) : null,
    permissions: {
      sort: may('sort'),
      changeSlug: may('changeSlug'),
      changeStatus: may('changeStatus'),
      changeTitle: may('changeTitle'),
    },
    status: page.status,
    ...(state && { state }),
    template: page.template,
    text,
    ...(await cellsOf(context, section, {
      subject,
      text,
      link,
      form: pageBlueprintOf(ctx.app, page),
      owner: ownerOfPage(page.uuid),
      content: contentOf(ctx.app, page),
    })),
  }
}

/** New pages are drafts, so that only sections that show drafts can add pages. */
function canAdd({ ctx }: SectionContext, section: Section, total: number): boolean {
  const { app } = ctx
  const { status = 'all', create } = section
  if (!['all', 'draft', 'drafts'].includes(String(status)) || create === false || isFull(section, total)) return false
  return templatesOf(app, section).some(
    template => canViewTemplate(ctx, { template }) && isPageActionAllowed(ctx, 'create', { template }),
  )
}

/** Manual sorting needs the manual order, and the complete list. */
function isSortable(section: Section, listQuery: SectionQuery): boolean {
  const { status = 'all', sortable = true, sortBy, flip, query } = section
  return (
    sortable === true &&
    sortBy === undefined &&
    flip !== true &&
    query === undefined &&
    searchTermOf(section, listQuery) === '' &&
    !isFiltered(listQuery) &&
    ['all', 'listed', 'published'].includes(String(status))
  )
}
