import type { Status } from '../../blueprints/blueprints.ts'
import type { Store } from '../../platform/store/store.ts'
import type { ReleasePreview } from '../actor.ts'
import { selectReleasedItems } from './queries.ts'

const scheme = 'release://'
const fileScheme = 'file://'

/** The id of the release that a pass is for. */
const releaseIn = (scope: string): string | undefined =>
  scope.startsWith(scheme) ? scope.slice(scheme.length) : undefined

/** Undefined if the scope is another one. A release that is published or deleted changes nothing any more. */
export async function readReleasePreview(store: Store, scope: string): Promise<ReleasePreview | undefined> {
  const id = releaseIn(scope)
  if (id === undefined) return undefined
  const items = await selectReleasedItems(store, id)
  return {
    owners: items.flatMap(({ owner, action }) => (action === 'publish' ? owner : [])),
    statuses: items.flatMap(({ uuid, parent, path, template, status }) =>
      uuid !== null && status !== null ? { uuid, parent: parent!, path: path!, template: template!, status } : [],
    ),
    deleted: items.flatMap(({ action, uuid, path }) =>
      action === 'delete' && uuid !== null ? { uuid, path: path! } : [],
    ),
    deletedFiles: items.flatMap(({ action, owner }) =>
      action === 'delete' && owner.startsWith(fileScheme) ? owner.slice(fileScheme.length) : [],
    ),
  }
}

/** The status that a page has once the release, if there is one, is published. */
export const statusIn = (release: ReleasePreview | undefined, page: { uuid: string; status: Status }): Status =>
  release?.statuses.find(({ uuid }) => uuid === page.uuid)?.status ?? page.status

/** Whether the release deletes the page, or one above it. */
export const isDeletedIn = ({ deleted }: ReleasePreview, { path }: { path: string }): boolean =>
  deleted.some(one => path === one.path || path.startsWith(`${one.path}/`))
