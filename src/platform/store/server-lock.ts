import { join } from 'node:path'
import { acquireFileLock, isFileLockHeld } from './file-lock.ts'

interface DataFolder {
  data: string
}

const lockOf = ({ data }: DataFolder) => join(data, 'serving.lock')

/**
 * Marks the data folder as used by a running server, until it is released. The lock of a server that crashed is
 * released by the operating system.
 */
export const acquireServerLock = (place: DataFolder) => acquireFileLock(lockOf(place))

export const isServerLockHeld = (place: DataFolder) => isFileLockHeld(lockOf(place))
