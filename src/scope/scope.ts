import { callable, type Scope, textOf, type Value } from '../blueprints/query.ts'
import type { FileModel } from '../files/target.ts'
import type { Look } from '../http/look.ts'
import { siteUrl } from '../languages/languages.ts'
import type { PageRow } from '../pages/queries.ts'
import { readContentOfSite, titleOf } from '../site/site.ts'
import { fileParent, isOpen } from '../site/target.ts'
import { say } from '../translations/translations.ts'
import type { UserRow } from '../users/users.ts'
import { fieldValues, found, listed } from './fields.ts'
import { fileKind, filesOf } from './files.ts'
import { type Kind, thingValue } from './lists.ts'
import { childrenIn, pageKind, treeOf } from './pages.ts'
import { reachOf } from './reach.ts'
import { referredFiles, referredPages, referredUsers } from './referred.ts'
import { together } from './together.ts'
import { userKind, usersOf } from './users.ts'
import type { World } from './world.ts'

/** What a blueprint describes: its queries begin there. */
export type Subject =
  | { kind: 'site' }
  | { kind: 'page'; row: PageRow }
  | { kind: 'file'; row: FileModel }
  | { kind: 'user'; row: UserRow }

const worlds = new WeakMap<Look, World>()

function worldOf(look: Look): World {
  let world = worlds.get(look)
  if (!world) worlds.set(look, (world = createWorld(look)))
  return world
}

type Find = (look: Look, name: string) => Promise<unknown>

const finders: Readonly<Record<'page' | 'file' | 'user', Find>> = {
  page: together(referredPages),
  file: together(referredFiles),
  user: together(referredUsers),
}
/** More than these of one field nobody is shown. */
const mostNames = 1000

function createWorld(look: Look): World {
  const reach = reachOf(look)
  const world: World = {
    reach,
    kinds: {} as World['kinds'],
    async find(kind, names) {
      const find = (name: string) => reach.read(`${kind} ${name}`, () => finders[kind](look, name))
      return (await Promise.all(names.slice(0, mostNames).map(find))).filter(row => row !== undefined)
    },
    site: () => reach.read('site', () => siteValue(world)),
  }
  world.kinds = { page: pageKind(world), file: fileKind(world), user: userKind(world) }
  return world
}

/** What the queries of a blueprint see: its thing, the site, and what can be reached from there, as far as the caller may. */
export function scopeOf(look: Look, subject: Subject): Scope {
  const world = worldOf(look)
  const site = callable(() => world.site())
  // Whatever fails while it is read fails in a query, which then gives nothing.
  const model = subject.kind === 'site' ? site : callable(() => valueOf(look, subject))
  // `page` is the page itself, `page('notes')` another one.
  const root = (kind: 'page' | 'file' | 'user') =>
    callable(name =>
      name === undefined && kind === subject.kind ? valueOf(look, subject) : found(world, kind, [textOf(name)]),
    )
  const [page, file, user] = [root('page'), root('file'), root('user')]
  const users = callable(() => usersOf(world))
  return {
    kirby: { site, page, file, user, users }, // what blueprints call the system itself
    site,
    page,
    file,
    user,
    users,
    t: callable(key => say(look.caller.user.language, textOf(key))),
    model,
  }
}

/** What a query sees of one thing. */
async function valueOf(look: Look, subject: Exclude<Subject, { kind: 'site' }>): Promise<Value> {
  return thingValue(worldOf(look).kinds[subject.kind] as Kind<unknown>, subject.row)
}

const sites = new WeakSet<object>()

/** Whether a query gave the site. */
export const isSite = (value: Value) => typeof value === 'object' && value !== null && sites.has(value)

async function siteValue(world: World): Promise<Value> {
  const { look } = world.reach
  const { app, caller } = look
  const language = await look.language()
  const stored = await readContentOfSite(app, language)
  const content = isOpen(look) ? fieldValues(world, app.blueprints.site().fields, stored) : {}
  const site = {
    ...content,
    ...childrenIn(world, { uuid: '' }),
    ...filesOf(world, fileParent(undefined, app), isOpen(look)),
    content,
    find: callable((...names) =>
      names.length === 1 ? found(world, 'page', names.map(textOf)) : listed(world, 'page', names.map(textOf)),
    ),
    homePage: callable(() => found(world, 'page', [app.config.home])),
    index: callable(() => treeOf(world)),
    page: callable(name => found(world, 'page', [textOf(name)])),
    title: titleOf(app, stored, caller.user.language),
    url: siteUrl(app, language),
  }
  sites.add(site)
  return site
}
