import { canListFile } from '../../access/authorize/files.ts'
import { canListPages } from '../../access/authorize/pages.ts'
import type { Field } from '../../blueprints/fields/field.ts'
import { query, type QueryValue } from '../../blueprints/query.ts'
import type { FileModel } from '../../groups/files/target.ts'
import type { Paginated } from '../../http/answer.ts'
import { showSlices } from '../../http/list.ts'
import type { RequestContext } from '../../http/context.ts'
import { pageBlueprintOf, titleOfPage } from '../../groups/pages/pages.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import { parentOfPage } from '../../groups/pages/related.ts'
import { findPages } from '../../groups/pages/search/search.ts'
import { idOf, visiblePage } from '../../groups/pages/target.ts'
import { type ListQuery, parentOfList, type ListSlice, sliceOf } from '../query/lists.ts'
import { scopeOf, type Subject } from '../query/scope.ts'
import { readContentOfSite, titleOfSite } from '../../groups/site/site.ts'
import type { UserRow } from '../../groups/users/users.ts'
import { fileEntry } from './files.ts'
import type { PickerType } from '../../blueprints/fields/references.ts'
import { pageEntry } from './pages.ts'
import { userEntry } from './users.ts'

/** Paging and search term for the choices of a picker field. */
export interface ChoicesQuery extends ListQuery {
  /** Only for pages: the id of the page whose children are listed. */
  parent?: string | undefined
}

export interface Choices {
  data: object[]
  pagination: Omit<Paginated<never>['pagination'], 'offset'>
  /** Number of rows inspected, if the search stopped at the limit before the end. */
  looked?: number
  /** Only for pages with `subpages`: the page or site whose children are listed. */
  model?: ChoicesParent | null
}

export interface ChoicesParent {
  /** Null at the top level of the field, which has no parent to navigate to. */
  id: string | null
  parent: string | null
  title: string
}

type LoadChoices = (ctx: RequestContext, subject: Subject, field: Field, choicesQuery: ChoicesQuery) => Promise<Choices>

/** The choices of a field: the results of its `query`, or a default list for its type. */
export const choicesOf: LoadChoices = (ctx, subject, field, choicesQuery) =>
  loaders[field.type as PickerType](ctx, subject, field, choicesQuery)

const loaders: Readonly<Record<PickerType, LoadChoices>> = {
  pages: pageChoices,
  files: fileChoices,
  users: userChoices,
}

async function showChoices<Row>(slice: ListSlice<Row>, entryOf: (row: Row) => Promise<object>): Promise<Choices> {
  const { inspected } = slice
  const { data, pagination } = await showSlices(slice, rows => Promise.all(rows.map(entryOf)))
  const { offset: _, ...publicPagination } = pagination
  return { data, pagination: publicPagination, ...(inspected !== undefined && { looked: inspected }) }
}

const runQuery = (ctx: RequestContext, subject: Subject, source: string) => query(source, scopeOf(ctx, subject))

// ---- pages

async function pageChoices(
  ctx: RequestContext,
  subject: Subject,
  field: Field,
  choicesQuery: ChoicesQuery,
): Promise<Choices> {
  const { app } = ctx
  const hasSubpages = field['subpages'] !== false
  const browsedPage =
    hasSubpages && choicesQuery.parent ? (await visiblePage(ctx, idOf(choicesQuery.parent))).page : undefined
  const source = typeof field['query'] === 'string' ? field['query'] : undefined
  const topList = await runQuery(ctx, subject, source ?? 'site.children')
  const list = browsedPage ? await runQuery(ctx, { kind: 'page', row: browsedPage }, 'page.children') : topList
  const matches = (page: PageRow) => canListPages(ctx, pageBlueprintOf(app, page).options)
  // A field that lets users browse the whole site also searches the whole site.
  const searchesWholeSite = source === undefined && hasSubpages && !browsedPage && choicesQuery.searchTerm !== ''
  const slice = searchesWholeSite
    ? await findPages(ctx, {
        ...choicesQuery,
        q: choicesQuery.searchTerm,
        parent: undefined,
        statuses: ['listed', 'unlisted'],
      })
    : await sliceOf<PageRow>(list, 'page', choicesQuery, matches)
  const model = hasSubpages ? await choicesParent(ctx, browsedPage, parentOfList(topList)) : null
  return { ...(await showChoices(slice, page => pageEntry(ctx, page, field))), model }
}

/** `top` is the parent of the field's list: the uuid of a page, `''` for the site. */
async function choicesParent(
  ctx: RequestContext,
  browsedPage: PageRow | undefined,
  top: string | undefined,
): Promise<ChoicesParent | null> {
  if (browsedPage && browsedPage.uuid !== top) {
    const parent = await parentOfPage(ctx, browsedPage)
    return { id: browsedPage.path, parent: parent?.path ?? null, title: titleOfPage(ctx.app, browsedPage) }
  }
  if (top === undefined) return null
  const { app } = ctx
  if (top === '') {
    const title = titleOfSite(app, await readContentOfSite(app, await ctx.language()), ctx.locale)
    return { id: null, parent: null, title }
  }
  const page = browsedPage ?? (await visiblePage(ctx, `@${top}`)).page
  return { id: null, parent: null, title: titleOfPage(app, page) }
}

// ---- files

async function fileChoices(
  ctx: RequestContext,
  subject: Subject,
  field: Field,
  choicesQuery: ChoicesQuery,
): Promise<Choices> {
  const { query: source, parent } = field
  const expression =
    typeof source === 'string' ? source : typeof parent === 'string' ? `${parent}.files` : defaultFiles[subject.kind]
  const found = await runQuery(ctx, subject, expression)
  const matches = ({ file }: FileModel) => canListFile(ctx, file)
  const slice = await sliceOf<FileModel>(found, 'file', choicesQuery, matches)
  return showChoices(slice, model => fileEntry(ctx, model, field, ownerOfModel(subject)))
}

/** Default query of a files field. */
export const defaultFiles: Readonly<Record<Subject['kind'], string>> = {
  site: 'site.files',
  page: 'page.files',
  user: 'user.files',
  file: 'file.parent.files',
}

/** The owner URI. Files of this owner are referred to by filename alone. */
export function ownerOfModel(subject: Subject): string {
  switch (subject.kind) {
    case 'page':
      return `page://${subject.row.uuid}`
    case 'user':
      return `user://${subject.row.id}`
    case 'file':
      return `file://${subject.row.file.uuid}`
    default:
      return 'site://'
  }
}

// ---- accounts

async function userChoices(
  ctx: RequestContext,
  subject: Subject,
  field: Field,
  choicesQuery: ChoicesQuery,
): Promise<Choices> {
  const { query: source } = field
  const found: QueryValue = await runQuery(ctx, subject, typeof source === 'string' ? source : 'users')
  const slice = await sliceOf<UserRow>(found, 'user', choicesQuery, () => true)
  return showChoices(slice, user => userEntry(ctx, user, field))
}
