import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Secrets } from '../secrets.ts'

interface Place {
  config: Config
  secrets: Secrets
}

/** What of a file is in its address. */
export interface Addressed {
  uuid: string
  hash: string
  stored_at: number
}

export interface Located extends Addressed {
  /** `pages/<path>`, `site` or `users/<id>` */
  place: string
  filename: string
}

/** A file that is replaced, or shown around another point, gets another address: whoever has it may keep it for ever. */
export function mediaUrl(app: Place, file: Located): string {
  return app.config.url + pathOf(app, file)
}

/** The same, on this server. */
export function mediaPath(app: Place, file: Located): string {
  return app.config.base + pathOf(app, file)
}

function pathOf(app: Place, { place, filename, ...file }: Located): string {
  return `/media/${[...place.split('/'), versionOf(app, file), filename].map(encodeURIComponent).join('/')}`
}

/** `<10 hex digits>-<seconds>`. Only we can make the digits, so nobody learns from them what the bytes are. */
function versionOf({ secrets }: Pick<Place, 'secrets'>, { uuid, hash, stored_at }: Addressed): string {
  const mac = Buffer.from(secrets.mac('vault', 'media', `${uuid} ${hash}`), 'base64url').toString('hex')
  return `${mac.slice(0, 10)}-${Math.floor(stored_at / 1000)}`
}

/** Whether this is the version that is in the address of the file now. */
export function isCurrent(app: Pick<Place, 'secrets'>, file: Addressed, version: string): boolean {
  const [wanted, given] = [versionOf(app, file), version].map(text => Buffer.from(text))
  return wanted!.length === given!.length && timingSafeEqual(wanted!, given!)
}
