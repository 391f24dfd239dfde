import type { Secrets } from '../secrets.ts'
import type { Store } from './store.ts'

export interface KeyPrint {
  ring: string
  id: string
  print: string
}

/**
 * Stores a fingerprint of every key, and returns the keys that do not match the stored fingerprints: two machines with
 * different secrets on one database would not recognise each other's sessions and passwords.
 */
export async function claimKeys(store: Store, prints: KeyPrint[]): Promise<KeyPrint[]> {
  return store.write(async tx => {
    await store.lockMigrations(tx) // of two processes that start on a new store, only the first may claim it
    const storedPrints = await tx.selectFrom('key_prints').selectAll().execute()
    const printOf = (ring: string, id: string) =>
      storedPrints.find(row => row.ring === ring && row.key_id === id)?.print
    const unknown = prints.filter(key => printOf(key.ring, key.id) === undefined)
    // If the store knows keys of a ring but none of these, the secrets belong to another store.
    const foreign = unknown.filter(
      key =>
        storedPrints.some(row => row.ring === key.ring) &&
        !prints.some(own => own.ring === key.ring && printOf(own.ring, own.id)),
    )
    const wrong = prints.filter(key => ![undefined, key.print].includes(printOf(key.ring, key.id)))
    if (wrong.length > 0 || foreign.length > 0) return [...wrong, ...foreign]
    if (unknown.length > 0) {
      await tx
        .insertInto('key_prints')
        .values(unknown.map(({ ring, id, print }) => ({ ring, key_id: id, print })))
        .onConflict(conflict => conflict.doNothing())
        .execute()
    }
    return []
  })
}

/** The fingerprints of all keys: enough to distinguish keys, and useless for decryption. */
export function printsOf(secrets: Secrets): KeyPrint[] {
  return Object.entries(secrets.keys).flatMap(([ring, keys]) =>
    keys.map(({ id }) => ({
      ring,
      id,
      print: secrets
        .derived(ring as keyof Secrets['keys'], 'print', id)!
        .toString('base64url')
        .slice(0, 16),
    })),
  )
}
