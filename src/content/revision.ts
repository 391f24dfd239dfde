import { z } from 'zod'
import { ApiError, fail } from '../platform/errors.ts'
import { type HttpExchange, header } from '../access/session/exchange.ts'
import { message } from '../platform/texts.ts'

/** The states in which somebody has seen a thing: it must be in one of them. Undefined if they do not say. */
export type Expected = readonly number[] | undefined

/** In the body of a change, for those who cannot send headers. */
export const revisionBody = { revision: z.int().min(0).optional() }

/**
 * What the caller believes to change, by `If-Match: "7"`, or by `revision` in the body; who says both means both. A tag that
 * was made weak on its way is as good, and of several one has to fit.
 */
export function expectedRevision(exchange: HttpExchange, sent?: number): Expected {
  const tagged = taggedRevisions(header(exchange, 'if-match')?.trim())
  if (sent === undefined) return tagged
  return tagged === undefined || tagged.includes(sent) ? [sent] : []
}

function taggedRevisions(given: string | undefined): Expected {
  if (given === undefined || given === '*') return undefined
  const numbers = given.split(',').map(tag => /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(tag)?.[1])
  if (numbers.every(number => number !== undefined)) return numbers.map(Number)
  const details = { 'if-match': { label: 'If-Match', message: { revision: message('validation.revision') } } }
  throw fail('validation').with({ details })
}

/** A whole number called `revision` beside the content guards it and is not stored, unless there is a field of that name. */
export function withoutRevision(
  sent: Readonly<Record<string, unknown>>,
  { fields }: { fields: ReadonlyMap<string, unknown> },
): { sent: Readonly<Record<string, unknown>>; revision?: number } {
  const { revision, ...content } = sent
  if (typeof revision !== 'number' || !Number.isSafeInteger(revision) || fields.has('revision')) return { sent }
  return { sent: content, revision }
}

/** Among the content clients send a title, too, which has a permission of its own. */
export function withoutTitle(sent: Readonly<Record<string, unknown>>): {
  sent: Readonly<Record<string, unknown>>
  title?: string
} {
  const entries = Object.entries(sent)
  const [named, ...others] = entries.filter(([name]) => name.toLowerCase() === 'title')
  if (typeof named?.[1] !== 'string' || others.length > 0) return { sent }
  return { sent: Object.fromEntries(entries.filter(entry => entry !== named)), title: named[1] }
}

/** The answer shows the thing in this state. */
export function sendRevision(exchange: HttpExchange, revision: number): void {
  exchange.answer.headers['etag'] = `"${revision}"`
}

/** Nobody overwrites what they have not seen. */
export function mustBeCurrent(revision: number, expected: Expected): void {
  if (expected === undefined || expected.includes(revision)) return
  throw fail('content.changed').with({ details: { revision }, headers: { etag: `"${revision}"` } })
}

/** The same for the draft. 0 stands for none. */
export function draftMustBeCurrent(draftRevision: number, expected: number | undefined, revision: number): void {
  if (expected === undefined || expected === draftRevision) return
  throw fail('content.changed').with({ details: { revision, draftRevision }, headers: { etag: `"${revision}"` } })
}

/** Whoever comes too late is shown what is there now, to decide anew. */
export async function orCurrent<Value>(work: () => Promise<Value>, show: () => Promise<unknown>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError && error.key === 'content.changed')
      throw error.with({ details: { ...error.details, current: await show() } })
    throw error
  }
}
