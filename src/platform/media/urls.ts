import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { createLruCache, type LruCache } from '../lib/lru-cache.ts'
import type { Secrets } from '../secrets.ts'

interface UrlContext {
  config: Config
  secrets: Secrets
}

/** The properties of a file that its URL depends on. */
export interface VersionedFile {
  uuid: string
  hash: string
  stored_at: number
}

/**
 * The URL changes when the file is replaced or its focus point changes, so clients may cache it for ever. `place` is
 * `pages/<path>`, `site` or `users/<id>`.
 */
export function mediaUrl(app: UrlContext, place: string, file: VersionedFile, filename: string): string {
  return app.config.url + folderOf(app, place, file) + encodeURIComponent(filename)
}

/** The same, as a path on this server. */
export function mediaPath(app: UrlContext, place: string, file: VersionedFile, filename: string): string {
  return app.config.base + folderOf(app, place, file) + encodeURIComponent(filename)
}

/** Answers with images name several thumbnails of each; the keyed hash takes longer than the rest of a URL. */
const maxFolders = 2000
const foldersOf = new WeakMap<Secrets, LruCache<string>>()

/** Where a file and its thumbnails are: `/media/pages/a/0123456789-1700000000/`. */
function folderOf(app: UrlContext, place: string, file: VersionedFile): string {
  let folders = foldersOf.get(app.secrets)
  if (!folders) foldersOf.set(app.secrets, (folders = createLruCache(maxFolders)))
  const key = `${file.uuid} ${file.hash} ${file.stored_at} ${place}`
  let folder = folders.get(key)
  if (folder === undefined) {
    folder = `/media/${[...place.split('/'), versionOf(app, file)].map(encodeURIComponent).join('/')}/`
    folders.set(key, folder)
  }
  return folder
}

/** `<10 hex digits>-<seconds>`. The digits are a keyed hash, so they reveal nothing about the bytes. */
function versionOf({ secrets }: Pick<UrlContext, 'secrets'>, { uuid, hash, stored_at }: VersionedFile): string {
  const mac = Buffer.from(secrets.mac('vault', 'media', `${uuid} ${hash}`), 'base64url').toString('hex')
  return `${mac.slice(0, 10)}-${Math.floor(stored_at / 1000)}`
}

/** Whether this is the version in the current URL of the file. */
export function isCurrent(app: Pick<UrlContext, 'secrets'>, file: VersionedFile, version: string): boolean {
  const [expected, sent] = [versionOf(app, file), version].map(text => Buffer.from(text))
  return expected!.length === sent!.length && timingSafeEqual(expected!, sent!)
}
