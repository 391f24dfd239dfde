import type { Config } from '../../../platform/config.ts'
import { post, deliveryError } from '../webhooks/post.ts'

type Settings = Config['delivery']['purge']

interface PurgeRequest {
  method: 'POST' | 'PURGE'
  headers: Record<string, string>
  body: string
}

/** How many tags each kind of cache takes at once. */
const maxTags = { varnish: 100, fastly: 250, cloudflare: 30, url: 1000 }
/** Maximum length of all tags in one header, in bytes: caches refuse longer headers. */
const maxTagsLength = 4000

/** Batches of tags, each for one request. */
function* tagBatches({ kind = 'url' }: Settings, tags: readonly string[]): Generator<string[]> {
  let [batch, length] = [[] as string[], 0]
  for (const tag of tags) {
    if (batch.length === maxTags[kind] || (batch.length > 0 && length + tag.length > maxTagsLength)) {
      yield batch
      ;[batch, length] = [[], 0]
    }
    batch.push(tag)
    length += tag.length + 1
  }
  if (batch.length > 0) yield batch
}

/** The purge request of each kind of cache, for these tags. */
function requestFor({ kind = 'url', token }: Settings, tags: readonly string[]): PurgeRequest {
  const json = { 'content-type': 'application/json' }
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const keys = { 'surrogate-key': tags.join(' ') }
  if (kind === 'varnish') return { method: 'PURGE', headers: { ...authorization, ...keys }, body: '' }
  if (kind === 'fastly')
    return { method: 'POST', headers: { ...(token !== undefined && { 'fastly-key': token }), ...keys }, body: '' }
  return { method: 'POST', headers: { ...authorization, ...json }, body: JSON.stringify({ tags }) }
}

/** Timeout of one request, in ms. */
const timeoutMs = 10_000

/** Sends the purge. Returns the problem, or undefined on success. */
export async function sendPurge(
  settings: Settings,
  tags: readonly string[],
  stopping: AbortSignal,
): Promise<string | undefined> {
  for (const batch of tagBatches(settings, tags)) {
    const problem = await sendOne(settings, batch, AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]))
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
    return signal.aborted ? 'There was no response in time.' : deliveryError(error)
  }
}
