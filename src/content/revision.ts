import { z } from 'zod'
import { ApiError, fail } from '../platform/errors.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import { namedSchema } from '../platform/lib/schema-names.ts'
import { message } from '../platform/texts.ts'

/** Revisions that the caller accepts; the current one must be among them. Undefined if the caller sends none. */
export type Expected = readonly number[] | undefined

/** For clients that cannot send headers. */
export const revisionBody = {
  revision: namedSchema(
    'Revision',
    z
      .int()
      .min(0)
      .describe('The revision that you have read, instead of the header `If-Match`. A newer one is refused with 412.'),
  ).optional(),
}

/**
 * The expected revision from `If-Match: "7"` or `"7.…"` (the tag of a read) or from `revision` in the body; if both are
 * sent, both must match. Weak tags are accepted, because proxies weaken ETags. Of several tags one must match.
 */
export function expectedRevision(exchange: HttpExchange, sent?: number): Expected {
  const tagged = taggedRevisions(exchange.headers['if-match']?.trim())
  if (sent === undefined) return tagged
  return tagged === undefined || tagged.includes(sent) ? [sent] : []
}

function taggedRevisions(ifMatch: string | undefined): Expected {
  if (ifMatch === undefined || ifMatch === '*') return undefined
  const numbers = ifMatch.split(',').map(tag => /^\s*(?:W\/)?"(\d{1,15})(?:\.[\w-]{22})?"\s*$/.exec(tag)?.[1])
  if (numbers.every(number => number !== undefined)) return numbers.map(Number)
  const details = { 'if-match': { label: 'If-Match', message: { revision: message('validation.revision') } } }
  throw fail('validation').with({ details })
}

/**
 * An integer `revision` in the content is the expected revision and is not stored, unless there is a field `revision`.
 */
export function withoutRevision(
  sent: Readonly<Record<string, unknown>>,
  { fields }: { fields: ReadonlyMap<string, unknown> },
): { sent: Readonly<Record<string, unknown>>; revision?: number } {
  const { revision, ...content } = sent
  if (typeof revision !== 'number' || !Number.isSafeInteger(revision) || fields.has('revision')) return { sent }
  return { sent: content, revision }
}

/** Clients send the title with the content, but changing it needs a permission of its own. */
export function withoutTitle(sent: Readonly<Record<string, unknown>>): {
  sent: Readonly<Record<string, unknown>>
  title?: string
} {
  const entries = Object.entries(sent)
  const [named, ...others] = entries.filter(([name]) => name.toLowerCase() === 'title')
  if (typeof named?.[1] !== 'string' || others.length > 0) return { sent }
  return { sent: Object.fromEntries(entries.filter(entry => entry !== named)), title: named[1] }
}

/** Sets the `ETag` header. */
export function sendRevision(exchange: HttpExchange, revision: number): void {
  exchange.answer.headers['etag'] = `"${revision}"`
}

/** Fails with 412 if the model has changed since the caller read it. */
export function mustBeCurrent(revision: number, expected: Expected): void {
  if (expected === undefined || expected.includes(revision)) return
  throw fail('content.changed').with({ details: { revision }, headers: { etag: `"${revision}"` } })
}

/** The same for the draft; 0 means no draft. */
export function draftMustBeCurrent(draftRevision: number, expected: number | undefined, revision: number): void {
  if (expected === undefined || expected === draftRevision) return
  throw fail('content.changed').with({ details: { revision, draftRevision }, headers: { etag: `"${revision}"` } })
}

/** Adds the current content to a conflict error, so that the caller can resolve it. */
export async function withCurrentOnConflict<Value>(
  work: () => Promise<Value>,
  show: () => Promise<unknown>,
): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError && error.key === 'content.changed')
      throw error.with({ details: { ...error.details, current: await show() } })
    throw error
  }
}
