import { useState } from 'react'
import { hasKey } from '../app/errors.ts'

const maxTries = 6
const defaultWait = 2

/**
 * Tries again while the server is busy with other sign-ins, after the time that it asks for. `waiting` is true meanwhile, for
 * a note. The times differ a little: otherwise a crowd would come back all at once.
 */
export function useBusyRetry() {
  const [waiting, setWaiting] = useState(false)
  async function retry<Value>(work: () => Promise<Value>, tries = 1): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      if (!hasKey(error, 'busy') || tries === maxTries) throw error
      setWaiting(true)
      const seconds = (error.retryAfter ?? defaultWait) + Math.random()
      await new Promise(resolve => void setTimeout(resolve, seconds * 1000))
      return await retry(work, tries + 1)
    } finally {
      setWaiting(false)
    }
  }
  return { waiting, retry }
}
