/** Maximum number of times that a request is sent. */
const maxTries = 4
/** If `Retry-After` is longer, the user sees the error instead. */
const maxWaitSeconds = 15

/**
 * Sends a request again when the server is busy, after the time in `Retry-After`. A read is sent again
 * after every 503; a write only if the server says that it is busy, because then nothing has been written.
 */
export async function retryWhileBusy(send: () => Promise<Response>, method = 'GET'): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await send()
    const seconds = secondsToWait(response)
    if (seconds === undefined || seconds > maxWaitSeconds || tries === maxTries) return response
    if (method !== 'GET' && !(await isBusy(response))) return response
    // Random delay, so that refused clients do not all retry at the same moment.
    await new Promise(resolve => void setTimeout(resolve, seconds * 1000 * (1 + Math.random() / 2)))
  }
}

function secondsToWait({ status, headers }: Response): number | undefined {
  const retryAfter = headers.get('retry-after')
  return status === 503 && retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
}

async function isBusy(response: Response): Promise<boolean> {
  const body = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { key?: string }
  return body.key === 'error.busy'
}
