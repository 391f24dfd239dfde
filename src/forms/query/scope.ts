import { canViewSite } from '../../access/authorize/authorize.ts'
import { callable, type Scope, queryText, type QueryValue } from '../../blueprints/query.ts'
import type { FileModel } from '../../groups/files/target.ts'
import type { RequestContext } from '../../http/context.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import { readContentOfSite, titleOfSite } from '../../groups/site/site.ts'
import { siteFileParent } from '../../groups/site/target.ts'
import { translate } from '../../platform/translations/translations.ts'
import type { UserRow } from '../../groups/users/users.ts'
import { fieldValues, findFirst, lazyList } from './fields.ts'
import { fileKind, filesOf } from './files.ts'
import { type ModelKind, modelValue } from './lists.ts'
import { childrenIn, pageKind, treeOf } from './pages.ts'
import { readBudgetOf } from './read-budget.ts'
import { resolveFiles, resolvePages, resolveUsers } from './references.ts'
import { batchedPerRequest } from './batch.ts'
import { userKind, usersOf } from './users.ts'
import type { QueryContext } from './context.ts'

/** The model of a blueprint; `page`, `file`, `user` or `model` in its queries. */
export type Subject =
  | { kind: 'site' }
  | { kind: 'page'; row: PageRow }
  | { kind: 'file'; row: FileModel }
  | { kind: 'user'; row: UserRow }

const contexts = new WeakMap<RequestContext, QueryContext>()

function queryContextOf(ctx: RequestContext): QueryContext {
  let context = contexts.get(ctx)
  if (!context) contexts.set(ctx, (context = createQueryContext(ctx)))
  return context
}

type Find = (ctx: RequestContext, name: string) => Promise<unknown>

const finders: Readonly<Record<'page' | 'file' | 'user', Find>> = {
  page: batchedPerRequest(resolvePages),
  file: batchedPerRequest(resolveFiles),
  user: batchedPerRequest(resolveUsers),
}
/** Maximum number of references of one field that are resolved. */
const maxNames = 1000

function createQueryContext(ctx: RequestContext): QueryContext {
  const budget = readBudgetOf(ctx)
  const context: QueryContext = {
    budget,
    kinds: {} as QueryContext['kinds'],
    async find(kind, names) {
      const find = (name: string) => budget.read(`${kind} ${name}`, () => finders[kind](ctx, name))
      return (await Promise.all(names.slice(0, maxNames).map(find))).filter(row => row !== undefined)
    },
    site: () => budget.read('site', () => siteValue(context)),
  }
  context.kinds = { page: pageKind(context), file: fileKind(context), user: userKind(context) }
  return context
}

/** The global names of a blueprint query: its model, the site, and functions that find others, as far as visible. */
export function scopeOf(ctx: RequestContext, subject: Subject): Scope {
  const context = queryContextOf(ctx)
  const site = callable(() => context.site())
  // Lazy, so that a failing read makes only its query return nothing.
  const model = subject.kind === 'site' ? site : callable(() => valueOf(ctx, subject))
  // `page` is the model itself, `page('notes')` another page.
  const root = (kind: 'page' | 'file' | 'user') =>
    callable(name =>
      name === undefined && kind === subject.kind ? valueOf(ctx, subject) : findFirst(context, kind, [queryText(name)]),
    )
  const [page, file, user] = [root('page'), root('file'), root('user')]
  const users = callable(() => usersOf(context))
  return {
    kirby: { site, page, file, user, users }, // Kirby blueprints use this name for the system
    site,
    page,
    file,
    user,
    users,
    t: callable(key => translate(ctx.locale, queryText(key))),
    model,
  }
}

/** The query value of the model. */
async function valueOf(ctx: RequestContext, subject: Exclude<Subject, { kind: 'site' }>): Promise<QueryValue> {
  return modelValue(queryContextOf(ctx).kinds[subject.kind] as ModelKind<unknown>, subject.row)
}

const sites = new WeakSet<object>()

/** Whether the result of a query is the site. */
export const isSite = (value: QueryValue) => typeof value === 'object' && value !== null && sites.has(value)

async function siteValue(context: QueryContext): Promise<QueryValue> {
  const { ctx } = context.budget
  const { app } = ctx
  const language = await ctx.language()
  const stored = await readContentOfSite(app, language)
  const content = canViewSite(ctx) ? fieldValues(context, app.blueprints.site().fields, stored) : {}
  const site = {
    ...content,
    ...childrenIn(context, { uuid: '' }),
    ...filesOf(context, siteFileParent(undefined, app), canViewSite(ctx)),
    content,
    find: callable((...names) =>
      names.length === 1
        ? findFirst(context, 'page', names.map(queryText))
        : lazyList(context, 'page', names.map(queryText)),
    ),
    homePage: callable(() => findFirst(context, 'page', [app.config.home])),
    index: callable(() => treeOf(context)),
    page: callable(name => findFirst(context, 'page', [queryText(name)])),
    title: titleOfSite(app, stored, ctx.locale),
    url: language.siteUrl,
  }
  sites.add(site)
  return site
}
