import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

interface Place {
  data: string
}

const lockOf = ({ data }: Place) => join(data, 'serving.lock')

/**
 * Says that a server runs on the data of this machine, until it is let go of. A server that is gone says nothing, however it
 * ended: what it held was a lock of the system on a file with nothing in it. Any number of servers may hold it.
 */
export function sayServing(place: Place): () => void {
  try {
    // Somebody may be asking in this very moment.
    const lock = new DatabaseSync(lockOf(place), { timeout: 1000 })
    lock.exec('begin; select name from sqlite_master')
    return () => lock.close()
  } catch {
    return () => {} // where files cannot be locked, nobody is told, and all else works
  }
}

/** Also where it cannot be told, as with a lock that belongs to somebody else. */
export function isServed(place: Place): boolean {
  if (!existsSync(lockOf(place))) return false
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(lockOf(place), { timeout: 0 })
    lock.exec('begin exclusive; rollback')
    return false
  } catch {
    return true
  } finally {
    lock?.close()
  }
}
