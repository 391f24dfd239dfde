import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/**
 * Takes a shared lock of the operating system on an empty file, until it is released or the process ends, even by a
 * crash. Any number of processes may have it.
 */
export function acquireFileLock(path: string): () => void {
  try {
    // Another process may be running `isFileLockHeld`, which takes the lock exclusively for a moment.
    const lock = new DatabaseSync(path, { timeout: 1000 })
    lock.exec('begin; select name from sqlite_master')
    return () => lock.close()
  } catch {
    return () => {} // if files cannot be locked, other processes do not see this one; all else works
  }
}

/** Also true if it cannot be determined, for example for a lock file of another user. */
export function isFileLockHeld(path: string): boolean {
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
