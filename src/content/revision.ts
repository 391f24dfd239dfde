import { ApiError, fail } from '../errors.ts'
import { type Exchange, header } from '../session/exchange.ts'
import { message } from '../texts.ts'

/** What the caller believes to change, by `If-Match: "7"`. Undefined if they do not say. */
export function expectedRevision(exchange: Exchange): number | undefined {
  const given = header(exchange, 'if-match')?.trim()
  if (given === undefined || given === '*') return undefined
  const [, number] = /^"(\d{1,15})"$/.exec(given) ?? []
  if (number !== undefined) return Number(number)
  const details = { 'if-match': { label: 'If-Match', message: { revision: message('validation.revision') } } }
  throw fail('validation').with({ details })
}

/** The answer shows the thing in this state. */
export function sendRevision(exchange: Exchange, revision: number): void {
  exchange.answer.headers['etag'] = `"${revision}"`
}

/** Nobody overwrites what they have not seen. */
export function mustBeCurrent(revision: number, expected: number | undefined): void {
  if (expected === undefined || expected === revision) return
  throw fail('content.changed').with({ details: { revision }, headers: { etag: `"${revision}"` } })
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
