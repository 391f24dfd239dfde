import { join } from 'node:path'
import { holdLock, isLockHeld } from './file-lock.ts'

interface Place {
  data: string
}

const lockOf = ({ data }: Place) => join(data, 'serving.lock')

/** Says that a server runs on the data of this machine, until it is let go of. A server that is gone says nothing. */
export const acquireServerLock = (place: Place) => holdLock(lockOf(place))

export const isServerLockHeld = (place: Place) => isLockHeld(lockOf(place))
