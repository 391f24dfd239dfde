import type { Config } from '../../../platform/config.ts'
import { chunks } from '../../../platform/lib/chunks.ts'
import { post } from '../webhooks/post.ts'

type Settings = Config['delivery']['purge']

interface PurgeRequest {
  method: 'POST' | 'PURGE'
  headers: Record<string, string>
  body: string
}

/** How many tags each kind of cache takes at once. */
const maxTags = { varnish: 100, fastly: 250, cloudflare: 30, url: 1000 }

/** How each kind of cache is told to drop the answers with these tags. */
function requestFor({ kind = 'url', token }: Settings, tags: readonly string[]): PurgeRequest {
  const json = { 'content-type': 'application/json' }
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const keys = { 'surrogate-key': tags.join(' ') }
  switch (kind) {
    case 'varnish':
      return { method: 'PURGE', headers: { ...authorization, ...keys }, body: '' }
    case 'fastly':
      return { method: 'POST', headers: { ...(token !== undefined && { 'fastly-key': token }), ...keys }, body: '' }
    case 'cloudflare':
    case 'url':
      return { method: 'POST', headers: { ...authorization, ...json }, body: JSON.stringify({ tags }) }
  }
}

/** Timeout of one request, in ms. */
const timeoutMs = 10_000

/** Tells the cache. Returns what went wrong; undefined if all went well. */
export async function sendPurge(
  settings: Settings,
  tags: readonly string[],
  stopping: AbortSignal,
): Promise<string | undefined> {
  for (const some of chunks(tags, maxTags[settings.kind ?? 'url'])) {
    const problem = await sendOne(settings, some, AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]))
    if (problem !== undefined) return problem
  }
  return undefined
}

async function sendOne(settings: Settings, tags: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const { headers, ...request } = requestFor(settings, tags)
  try {
    const { status } = await post(
      { url: new URL(settings.url!) },
      { ...request, headers: { 'user-agent': 'Quoin-Purge', ...headers }, signal },
    )
    return status >= 200 && status < 300 ? undefined : `The response was ${status}.`
  } catch (error) {
    if (signal.aborted) return 'There was no response in time.'
    const { code, message } = error as NodeJS.ErrnoException
    return code === undefined ? message : `${code}: ${message}`
  }
}
