import type { App } from '../app.ts'
import { type CollectionQuery, search, select, type Subject } from '../content/collection.ts'
import { wordsOf } from '../content/search.ts'
import { paginate } from '../http/paging.ts'
import type { Caller } from '../session/identify.ts'
import * as queries from './queries.ts'
import { visibleTo } from './target.ts'
import type { UserRow } from './users.ts'

export interface Page {
  page: number
  limit: number
}

/** Those the caller may see, by what they are called. */
export async function listPage(app: App, caller: Caller, page: Page) {
  const visible = visibleTo(app, caller)
  const pagination = paginate(await queries.countVisible(app.store, visible, caller.user.role), page)
  return { users: await queries.selectPage(app.store, visible, pagination.offset, pagination.limit), pagination }
}

/** Those in whose name, address, role, id or content the words occur. */
export async function findByWords(app: App, caller: Caller, question: string, page: Page) {
  const words = wordsOf(question)
  if (words.length === 0) return cut([], page)
  const candidates = await queries.selectCandidates(app.store, visibleTo(app, caller), words)
  return cut(search(candidates, subject, question), page)
}

/** Those a query asks for. */
export async function findByQuery(app: App, caller: Caller, query: CollectionQuery, page: Page) {
  const asked = typeof query.search === 'string' ? query.search : query.search?.query
  const onlySearch = asked !== undefined && !query.filterBy && !query.filter && query.limit === undefined
  const words = onlySearch && query.offset === undefined ? wordsOf(asked) : []
  const candidates = await queries.selectCandidates(app.store, visibleTo(app, caller), words)
  return cut(select(candidates, subject, query), { ...page, ...paged(query.paginate) })
}

function paged(paginated: CollectionQuery['paginate']): Partial<Page> {
  if (typeof paginated === 'number') return { limit: paginated }
  return Object.fromEntries(Object.entries(paginated ?? {}).filter(([, value]) => value !== undefined))
}

function cut(found: UserRow[], page: Page) {
  const pagination = paginate(found.length, page)
  return { users: found.slice(pagination.offset, pagination.offset + pagination.limit), pagination }
}

type Candidate = Awaited<ReturnType<typeof queries.selectCandidates>>[number]

const contentOf = ({ content }: Candidate) => JSON.parse(content ?? '{}') as Record<string, string>

const plain: Record<string, (user: Candidate) => string> = {
  id: user => user.id,
  email: user => user.email,
  name: user => user.name,
  username: user => user.name || user.email,
  role: user => user.role,
  language: user => user.language,
}

/** Plain data only: no hash, no token and nothing that does anything can be asked for. */
const subject: Subject<Candidate> = {
  id: user => user.id,
  field(user, name) {
    if (Object.hasOwn(plain, name)) return plain[name]!(user)
    const content = contentOf(user)
    return Object.hasOwn(content, name) ? content[name] : undefined
  },
  texts: user => ({ ...contentOf(user), id: user.id, name: user.name, email: user.email, role: user.role }),
  heavy: ['id'],
}
