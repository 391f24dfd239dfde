import { useState } from 'react'
import { hasKey } from '../app/errors.ts'

const maxTries = 6
const defaultWait = 2

/**
 * Retries while the server is busy with other sign-ins, after the time in `Retry-After`. `waiting` is true meanwhile. A
 * random delay prevents all clients from retrying at the same moment.
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
