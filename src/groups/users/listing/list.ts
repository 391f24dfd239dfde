import { visibleAccounts } from '../../../access/authorize/accounts.ts'
import { actingRole } from '../../../access/actor.ts'
import type { App } from '../../../app.ts'
import type { Fields } from '../../../blueprints/fields/field.ts'
import {
  type CollectionQuery,
  compare,
  namesIn,
  namesMustBeKnown,
  paged,
  select,
  type SortKey,
  sortKeys,
  type ItemAccessors,
} from '../../../content/collection.ts'
import { filterValue } from '../../../content/filter-value.ts'
import { queryWords } from '../../../content/search.ts'
import { slicesOf } from '../../../http/list.ts'
import { paginate, type Paging } from '../../../http/paging.ts'
import { contentLanguage } from '../../../content/languages/languages.ts'
import type { RequestContext } from '../../../http/context.ts'
import * as queries from './queries.ts'

/** A slice of the accounts that the caller may see, by name or in another order. */
export async function listAccounts(ctx: RequestContext, page: Paging, order: queries.UserOrder[] = []) {
  const { app } = ctx
  const visibility = visibleAccounts(ctx)
  const pagination = paginate(await queries.countVisible(app.store, visibility, actingRole(ctx)), page)
  return slicesOf(pagination, await queries.selectSortedAccounts(app.store, visibility, pagination, order))
}

/** Accounts whose name, e-mail address, role, id or content contains the search term. */
export async function findBySearchTerm(ctx: RequestContext, searchTerm: string, page: Paging) {
  return findByQuery(ctx, { search: searchTerm }, page)
}

/** Accounts that match a query: filters, words, order and limits. */
export async function findByQuery(ctx: RequestContext, query: CollectionQuery, page: Paging) {
  const { app } = ctx
  const paging = { ...page, ...paged(query.paginate) }
  namesMustBeKnown(query, name => isKnown(app, name))
  const order = await orderInStore(app, query)
  if (order) return listAccounts(ctx, paging, order)
  const { query: searchQuery, options } =
    typeof query.search === 'string' ? { query: query.search } : (query.search ?? {})
  const words = searchQuery === undefined ? [] : queryWords(searchQuery, options)
  if (searchQuery !== undefined && words.length === 0) return sliceOf(app, [], paging)
  const batches = queries.selectCandidates(app.store, visibleAccounts(ctx), {
    words,
    language:
      searchQuery === undefined && needsOnlyColumns(query) ? undefined : (await contentLanguage(app, undefined)).key,
  })
  return sliceOf(app, await select(withoutDuplicates(batches), accessorsIn(app), query), paging)
}

/** Whether the query needs only columns of `users`, no content. */
const needsOnlyColumns = (query: CollectionQuery) =>
  Object.values(namesIn(query))
    .flat()
    .every(name => Object.hasOwn(columnValues, name))

/** The order, if the query only lists accounts and the database can sort them; otherwise undefined. */
async function orderInStore({ store }: App, query: CollectionQuery): Promise<queries.UserOrder[] | undefined> {
  const { search, filterBy = [], filter = [], not = [], limit, offset } = query
  if (search !== undefined || limit !== undefined || offset !== undefined) return undefined
  if (filterBy.length + filter.length + not.length > 0 || !needsOnlyColumns(query)) return undefined
  const keys = sortKeys(query) as (SortKey & { name: keyof typeof columnValues })[]
  if (!(await queries.isSortedLikeJavaScript(store, new Set(keys.map(({ name }) => name))))) return undefined
  return Promise.all(
    keys.map(async ({ name, direction }) => {
      if (name !== 'role' && name !== 'language') return { by: name, direction }
      // There are few values, so they are ranked here and the database sorts by rank.
      const values = await queries.selectDistinct(store, name)
      const ranks = new Map<string, number>()
      for (const value of values.toSorted(compare)) {
        const last = [...ranks].at(-1)
        ranks.set(value, last && compare(last[0], value) === 0 ? last[1] : ranks.size)
      }
      return { by: name, direction, ranks }
    }),
  )
}

/**
 * An account that is renamed while batches are read may occur in two of them: keeps the first. Drops the content of
 * each account after its batch is processed, to save memory.
 */
async function* withoutDuplicates(batches: AsyncIterable<Candidate[]>): AsyncGenerator<Candidate[]> {
  const sent = new Set<string>()
  for await (const batch of batches) {
    const fresh = batch.filter(({ id }) => !sent.has(id))
    for (const { id } of fresh) sent.add(id)
    yield fresh
    for (const one of fresh) one.content = one.parsedContent = undefined
  }
}

async function sliceOf({ store }: App, all: Candidate[], page: Paging) {
  const pagination = paginate(all.length, page)
  const ids = all.slice(pagination.offset, pagination.offset + pagination.limit).map(({ id }) => id)
  return slicesOf(pagination, await queries.selectByIds(store, ids))
}

type Candidate = queries.AccountCandidate & { parsedContent?: Record<string, string> | undefined }

const noContent: Record<string, string> = {}

/** Parses the content when first needed. */
function contentOf(user: Candidate): Record<string, string> {
  user.parsedContent ??= user.content ? (JSON.parse(user.content) as Record<string, string>) : noContent
  return user.parsedContent
}

const columnValues = {
  id: (user: Candidate) => user.id,
  email: (user: Candidate) => user.email,
  name: (user: Candidate) => user.name,
  username: (user: Candidate) => user.name || user.email,
  role: (user: Candidate) => user.role,
  language: (user: Candidate) => user.language,
}

/**
 * Queries read these columns and content fields only: never password hashes or tokens, and nothing with side effects.
 */
const accessorsIn = (app: App): ItemAccessors<Candidate> => ({
  id: user => user.id,
  field: (user, name) =>
    Object.hasOwn(columnValues, name)
      ? columnValues[name as keyof typeof columnValues](user)
      : filterValue(app.blueprints.role(user.role)?.fields ?? noFields, contentOf(user), name),
  texts(user) {
    const { id, name, email, role } = user
    return user.content ? { ...contentOf(user), id, name, email, role } : { id, name, email, role }
  },
  weightedFields: ['id'],
})

const noFields: Fields = new Map()

function isKnown({ blueprints }: App, name: string): boolean {
  const lowerCased = name.toLowerCase()
  return (
    Object.hasOwn(columnValues, name) || blueprints.roles().some(role => blueprints.role(role)?.fields.has(lowerCased))
  )
}
