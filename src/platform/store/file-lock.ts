import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/**
 * Holds a lock of the system on a file with nothing in it, until it is released or the process ends, however it ends. Any number
 * of processes may hold it.
 */
export function holdLock(path: string): () => void {
  try {
    // Another process may be asking in this very moment.
    const lock = new DatabaseSync(path, { timeout: 1000 })
    lock.exec('begin; select name from sqlite_master')
    return () => lock.close()
  } catch {
    return () => {} // where files cannot be locked, nobody is told, and all else works
  }
}

/** Also true where it cannot be told, as with a lock that belongs to another user. */
export function isLockHeld(path: string): boolean {
  if (!existsSync(path)) return false
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path, { timeout: 0 })
    lock.exec('begin exclusive; rollback')
    return false
  } catch {
    return true
  } finally {
    lock?.close()
  }
}
