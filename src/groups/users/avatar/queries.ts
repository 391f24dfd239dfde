import type { FileRow } from '../../files/files.ts'
import { batched } from '../../../platform/store/batch.ts'
import type { Store, Tx } from '../../../platform/store/store.ts'

/** The template of the file that is the profile image of an account. */
export const avatarTemplate = 'avatar'

async function avatarRows(store: Store, owners: readonly string[]): Promise<FileRow[]> {
  const query = store.db
    .selectFrom('files')
    .selectAll()
    .where('parent', 'in', owners)
    .where('template', '=', avatarTemplate)
    .orderBy('created_at')
  return (await store.read(query.compile())) as FileRow[]
}

const read = batched(avatarRows, ({ parent }) => parent)

interface CachedAvatars {
  version: number | string
  avatars: Map<string, FileRow | undefined>
}

const caches = new WeakMap<Store, CachedAvatars>()
const maxCached = 1000

/**
 * The avatar of an account, the newest if there are several. Lists read the avatars of all accounts in one batch. Every
 * `GET /auth` needs one, so results are cached until the database changes. On PostgreSQL the version is that of the
 * request (`readAt`), because reading it costs a round trip.
 */
export async function selectAvatar(
  store: Store,
  owner: string,
  readAt?: number | string,
): Promise<FileRow | undefined> {
  const version = store.version()?.number ?? readAt
  let last = caches.get(store)
  if (last?.version === version && last?.avatars.has(owner)) return last.avatars.get(owner)
  const found = await read(store, owner)
  if (version === undefined) return found
  last = caches.get(store)
  if (last?.version !== version) caches.set(store, (last = { version, avatars: new Map() }))
  if (last.avatars.size >= maxCached) last.avatars.clear()
  last.avatars.set(owner, found)
  return found
}

export async function selectAvatarsOf(tx: Tx, owner: string): Promise<FileRow[]> {
  return tx.selectFrom('files').selectAll().where('parent', '=', owner).where('template', '=', avatarTemplate).execute()
}
