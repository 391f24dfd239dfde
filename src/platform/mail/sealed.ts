import type { App } from '../../app.ts'
import { open, seal } from '../lib/box.ts'
import type { Mail } from './render.ts'

/**
 * Encrypts a mail: its links give access to accounts, and addresses are personal data. A reader of the database learns
 * neither.
 */
export function sealMail({ secrets }: App, id: string, mail: Mail): string {
  const key = secrets.keys.vault[0]!.id
  return `${key}.${seal(secrets.derived('vault', 'mail', key)!, JSON.stringify(mail), id)}`
}

/** Undefined if the key is gone or the row was tampered with. */
export function unsealMail({ secrets }: App, id: string, sealed: string): Mail | undefined {
  const [keyId = '', box = ''] = sealed.split('.')
  const key = secrets.derived('vault', 'mail', keyId)
  const text = key && open(key, box, id)
  return text === undefined ? undefined : (JSON.parse(text) as Mail)
}
