import type { Status } from '../blueprints/blueprints.ts'
import { callable, textOf, type Value } from '../blueprints/query.ts'
import { select, type Subject } from '../content/collection.ts'
import type { Look } from '../http/look.ts'
import { paginate } from '../http/paging.ts'
import { listWanted } from '../pages/children/list.ts'
import { fileParent } from '../pages/files.ts'
import { childrenOf, draftsOf, hasChildren, parentOfPage, parentsOf, siblingsOf } from '../pages/related.ts'
import { blueprintOf, contentOf, ownerOf, titleOf } from '../pages/pages.ts'
import { hasTemplate, type PageRow } from '../pages/queries.ts'
import { isError, isHome } from '../pages/rules.ts'
import { type Among, selectByUuids } from '../pages/search/queries.ts'
import { findPages } from '../pages/search/search.ts'
import { slugOf, urlOf } from '../pages/slugs/slugs.ts'
import { pageSubject } from '../pages/subject.ts'
import { listableTemplates } from '../pages/target.ts'
import { fieldValues, found } from './fields.ts'
import { filesOf } from './files.ts'
import { type Filters, filteredPart, hasFilters } from './filtered.ts'
import { type Asked, filterOf, type Kind, listValue, type Part, type Rows, thingValue } from './lists.ts'
import { countTree, selectTree, selectTreePart } from './queries.ts'
import type { World } from './world.ts'

export function pageKind(world: World): Kind<PageRow> {
  return {
    name: 'page',
    value: page => pageValue(world, page),
    subject: subjectIn(world),
    parts: {
      listed: ({ status }) => status === 'listed',
      unlisted: ({ status }) => status === 'unlisted',
      published: ({ status }) => status !== 'draft',
      drafts: ({ status }) => status === 'draft',
      template: ({ template }, names) => names.length === 0 || names.includes(template),
    },
  }
}

/** What a page has besides its content stands before fields of the same name. */
function pageValue(world: World, page: PageRow): Value {
  const { look } = world.reach
  const { app } = look
  const { path, status, num, template, uuid } = page
  const blueprint = blueprintOf(app, page)
  const content = fieldValues(world, blueprint.fields, contentOf(app, page))
  return {
    ...content,
    ...familyOf(world, page),
    ...filesOf(world, fileParent(page, app)),
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
    slug: callable(() => slugOf(look, page)),
    status,
    template,
    title: titleOf(app, page),
    url: callable(() => urlOf(look, page)),
    uuid: ownerOf(uuid),
  }
}

function familyOf(world: World, page: PageRow): Record<string, Value> {
  const { look } = world.reach
  return {
    ...childrenIn(world, page),
    find: callable(id => found(world, 'page', [`${page.path}/${textOf(id)}`])),
    parent: callable(async () => {
      const parent = await world.reach.read(`parent ${page.uuid}`, () => parentOfPage(look, page))
      return parent ? thingValue(world.kinds.page, parent) : world.site()
    }),
    parents: callable(() =>
      listValue(world.kinds.page, () => world.reach.read(`parents ${page.uuid}`, () => parentsOf(look, page))),
    ),
    siblings: callable(() =>
      listValue(world.kinds.page, () => world.reach.read(`children ${page.parent}`, () => siblingsOf(look, page))),
    ),
  }
}

/** Of a page, or those at the top. Each list is read when something is asked of it. */
export function childrenIn(world: World, { uuid }: { uuid: string }): Record<string, Value> {
  const { reach } = world
  const { look } = reach
  const children = () => reach.read(`children ${uuid}`, () => childrenOf(look, { uuid }))
  const drafts = () => reach.read(`drafts ${uuid}`, () => draftsOf(look, { uuid }))
  const both = async () => [...(await children()), ...(await drafts())]
  const list = (rows: Rows<PageRow>, statuses: readonly Status[]) =>
    callable(() => pageList(world, () => rows, { parent: uuid, statuses }))
  return {
    children: list(children, published),
    childrenAndDrafts: list(both, [...published, 'draft']),
    drafts: list(drafts, ['draft']),
    hasChildren: callable(() => reach.read(`has ${uuid}`, () => hasChildren(look, { uuid }))),
  }
}

/** Pages that are no drafts, of the whole site. */
export function treeOf(world: World): Value {
  const { reach } = world
  const rows = (where: Where) => () =>
    reach.read(`tree ${JSON.stringify(where)}`, async () =>
      selectTree(reach.look.app.store, await reach.look.language(), amongOf(reach.look, where)),
    )
  return pageList(world, rows, { parent: undefined, statuses: published })
}

const published: readonly Status[] = ['listed', 'unlisted']

/** Below which page, and which of them; the store can be asked for all of that. */
interface Where {
  parent: string | undefined
  statuses: readonly Status[]
  templates?: readonly string[]
}

/** A list that stays a question to the store for as long as nothing but states, templates and plain data are asked for. */
function pageList(world: World, rows: (where: Where) => Rows<PageRow>, where: Where, filters: Filters = {}): Value {
  const { look } = world.reach
  const kind = world.kinds.page
  const { statuses, templates } = where
  const fits = ({ status, template }: PageRow) => statuses.includes(status) && (templates?.includes(template) ?? true)
  const less = (narrower: Partial<Where>) => pageList(world, rows, { ...where, ...narrower }, filters)
  const also = (more: Filters) => pageList(world, rows, where, { ...filters, ...more })
  const only = (...wanted: Status[]) => callable(() => less({ statuses: statuses.filter(one => wanted.includes(one)) }))
  const of = (names: readonly string[]) =>
    names.length === 0 ? less({}) : less({ templates: templates?.filter(name => names.includes(name)) ?? names })
  const read = async () => (await rows(where)()).filter(fits)
  const list = listValue(kind, hasFilters(filters) ? async () => select([await read()], kind.subject, filters) : read, {
    part: asked =>
      hasFilters(filters)
        ? filteredPart(look, kind.subject, amongOf(look, where), filters, asked)
        : partOfPages(look, amongOf(look, where), asked),
    parent: where.parent,
  })
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
    template: callable((...names) => of(names.flat().map(textOf))),
    filterBy: filtered,
    filter: filtered,
    not: callable((...ids) => also({ not: [...[filters.not ?? []].flat(), ...ids.flat().map(textOf)] })),
    // What is sorted a second time is in that order as far as the second one does not decide.
    sortBy: filters.sortBy === undefined ? callable((...by) => also({ sortBy: by.map(textOf).join(' ') })) : sortBy,
  })
}

/** As far as the caller may list them. */
function amongOf({ app, caller }: Look, { parent, statuses, templates }: Where): Among {
  const listable = listableTemplates(app, caller)
  if (!templates) return { parent, statuses, ...listable }
  return { parent, statuses, templates: templates.filter(name => hasTemplate(listable, name)), except: [] }
}

async function partOfPages(look: Look, among: Among, { words, ...paging }: Asked): Promise<Part<PageRow>> {
  const { parent, statuses, ...templates } = among
  if (words !== '') return findPages(look, { q: words, parent, statuses, templates, ...paging })
  if (parent !== undefined)
    return listWanted(look, parent, { statuses, ...templates }, total => paginate(total, paging))
  const { store } = look.app
  const pagination = paginate(await countTree(store, among), paging)
  const uuids = await selectTreePart(store, among, pagination)
  return {
    pagination,
    read: async ({ offset, limit }) => {
      const from = offset - pagination.offset
      return selectByUuids(store, await look.language(), uuids.slice(from, from + limit))
    },
  }
}

/** All of it is text, so that what a blueprint writes is compared with what is stored. */
function subjectIn({ reach }: World): Subject<PageRow> {
  const subject = pageSubject(reach.look.app)
  return {
    ...subject,
    field(page, name) {
      const value = subject.field(page, name)
      if (Array.isArray(value)) return value.map(String)
      return value === undefined || value === null ? value : String(value)
    },
  }
}
