import type { App } from '../app.ts'
import { ApiError, fail } from '../errors.ts'
import { type FileRow, selectFile } from '../files/queries.ts'
import { isVisible as isFileVisible } from '../files/target.ts'
import { needsRepair } from '../http/door.ts'
import { isCurrent } from '../media/urls.ts'
import { readThumbName, type Size } from '../media/thumbs.ts'
import { isVisible as isPageVisible } from '../pages/target.ts'
import type { Exchange } from '../session/exchange.ts'
import { type Caller, identify } from '../session/identify.ts'
import { permissionsOf } from '../session/rights.ts'
import { user } from '../users/target.ts'
import type { Address } from './address.ts'
import { type Passed, selectWay } from './queries.ts'

export interface Found {
  file: FileRow
  /** Set if a smaller picture is wanted. */
  size?: Size
  isPublic: boolean
}

/** What the visitor may not see does not exist; all that is not there looks the same. */
export async function find(app: App, address: Address, exchange: Exchange): Promise<Found> {
  const parent = await findParent(app, address)
  const found = await findFile(app, parent.owner, address)
  if (!found || !(parent.isPublic || (await maySee(app, exchange, parent, found.file)))) throw fail('notFound')
  return { ...found, isPublic: parent.isPublic }
}

interface Parent {
  /** `page://…`, `site://` or `user://…` */
  owner: string
  isPublic: boolean
  page?: Passed
}

/** Files are as public as what they belong to: a draft and all below it are not, and no account is. */
async function findParent(app: App, { kind, owner }: Address): Promise<Parent> {
  if (kind === 'site') return { owner: 'site://', isPublic: true }
  if (kind === 'users') return { owner: `user://${owner}`, isPublic: false }
  const way = await selectWay(app.store, owner)
  const page = way.find(({ path }) => path === owner)
  if (!page) throw fail('notFound')
  return { owner: `page://${page.uuid}`, page, isPublic: way.every(({ status }) => status !== 'draft') }
}

/** A file of this name, or else the one that a thumbnail of this name would be made of. */
async function findFile({ store, secrets }: App, parent: string, { name, version }: Address) {
  const file = await selectFile(store, parent, name)
  if (file) return { file }
  const thumb = readThumbName(name)
  if (!thumb) return undefined
  const files: FileRow[] = []
  for (const filename of thumb.filenames) {
    const original = await selectFile(store, parent, filename)
    if (original) files.push(original)
  }
  const meant = files.find(one => isCurrent({ secrets }, one, version)) ?? files[0]
  return meant && { file: meant, size: thumb.size }
}

async function maySee(app: App, exchange: Exchange, { owner, page }: Parent, file: FileRow): Promise<boolean> {
  const { caller } = await identify(app, exchange)
  if (!caller || !permissionsOf(app, caller.user.role).access.panel || needsRepair(app, caller)) return false
  const isOpen = page
    ? isPageVisible(app, caller, app.blueprints.page(page.template).options)
    : await maySeeUser(app, caller, owner.slice('user://'.length))
  return isOpen && isFileVisible(app, caller, file)
}

async function maySeeUser(app: App, caller: Caller, id: string): Promise<boolean> {
  try {
    return (await user({ app, caller, params: { id } })).user.id === id
  } catch (error) {
    if (error instanceof ApiError && error.key === 'user.notFound') return false
    throw error
  }
}
