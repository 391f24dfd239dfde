import { join } from 'node:path'
import { holdLock, isLockHeld } from './file-lock.ts'

interface Place {
  data: string
}

const lockOf = ({ data }: Place) => join(data, 'serving.lock')

/**
 * Marks the data folder as used by a running server, until it is released. The lock of a server that crashed is
 * released by the operating system.
 */
export const acquireServerLock = (place: Place) => holdLock(lockOf(place))

export const isServerLockHeld = (place: Place) => isLockHeld(lockOf(place))
