import { z } from 'zod'
import { answer } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { pagingQuery } from '../../../http/paging.ts'
import { selectionQuery, timestampSchema } from '../../../http/query-schemas.ts'
import type { HttpExchange } from '../../../access/session/exchange.ts'
import { fail } from '../../../platform/errors.ts'
import { type Message, message } from '../../../platform/texts.ts'
import { filterOf, listEvents } from './events.ts'
import { sendFeed } from './live.ts'
import { readPatterns } from './names.ts'
import type { Position } from './queries.ts'
import { feedView } from './view.ts'

const filters = {
  event: z
    .string()
    .max(500)
    .refine(text => readPatterns(text) !== undefined)
    .transform(text => readPatterns(text)!)
    .optional()
    .describe('Names such as `page.published`, or `page.*`; several with commas. Without it, all but `preview.*`.'),
  page: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe('The id of a page, or `page://…`: its events and those of its files.'),
  user: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .describe('Who did it: the id or e-mail address of an account, or `account`.'),
  from: timestampSchema.optional(),
  until: timestampSchema.optional(),
}

const cursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}$/)
  .transform((text): Position => {
    const [time, id] = text.split('-').map(Number) as [number, number]
    return { time, id }
  })

const position = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

const page = z.object({
  code: z.literal(200),
  data: z.array(feedView.schema),
  pagination: z.object({
    limit: z.int(),
    next: z
      .string()
      .nullable()
      .describe(
        'Send it as `before` to go on. A page may have fewer entries than `limit`; the last one has null here.',
      ),
  }),
  status: z.literal('ok'),
  type: z.literal('collection'),
})

type Page = z.output<typeof page>

/** What happened on the site, as far as the caller may see what it happened to. */
export const events = {
  list: endpoint({
    method: 'GET',
    path: '/site/events',
    summary: 'List what happened on the site, the newest first',
    description: [
      'Changes of pages, files, accounts, languages and the site, as far as the caller may see what they happened to: who, when and which fields, never the values.',
      'With `Accept: text/event-stream` a live stream, which goes on after `Last-Event-ID`.',
    ],
    access: 'session',
    query: z.strictObject({
      ...selectionQuery,
      ...filters,
      limit: pagingQuery.limit,
      before: cursor.optional().describe('The `next` of the pagination before.'),
      lastEventId: position
        .optional()
        .describe('For a stream, in place of the header `Last-Event-ID`, which browsers set only when they reconnect.'),
      presence: z
        .literal('true')
        .optional()
        .describe(
          'For a stream: adds a message `presence` whenever an account opens or closes the panel or opens another page.',
        ),
    }),
    answer: answer<Pick<Page, 'data' | 'pagination'>, typeof page>(page, value => ({
      code: 200,
      ...value,
      status: 'ok',
      type: 'collection',
    })),
    handler: async ({ ctx, query }) => {
      refuse(query, ['lastEventId', 'presence'])
      const { limit, before, event, page: id, user, from, until, select, view } = query
      const found = await listEvents(ctx, { event, page: id, user, from, until }, { before, limit })
      const { next } = found
      return {
        data: await feedView.showAll(ctx, found.events, { select, view }),
        pagination: { limit, next: next ? `${next.time}-${next.id}` : null },
      }
    },
    /** The same as a live stream: `event`, `page` and `user` filter it. */
    stream: async ({ ctx, exchange, query }) => {
      refuse(query, ['before', 'from', 'until'])
      const { event, page: id, user } = query
      const last = lastEventId(exchange) ?? query.lastEventId
      const filter = await filterOf(ctx, { event, page: id, user })
      const wantsPresence = query.presence !== undefined
      return stream => void sendFeed(ctx, filter, stream, { last, wantsPresence })
    },
  }),
}

/** Refuses parameters that have no effect here: ignoring them would silently return a wrong result. */
function refuse(query: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  const name = names.find(one => query[one] !== undefined)
  if (name !== undefined) throw invalid(name, message('validation.unknown'))
}

const invalid = (name: string, text: Message) =>
  fail('validation').with({ details: { [name]: { label: name, message: { unknown: text } } } })

function lastEventId(exchange: HttpExchange): number | undefined {
  const sent = exchange.headers['last-event-id']
  if (sent === undefined || sent === '') return undefined
  const read = position.safeParse(sent)
  if (!read.success) throw invalid('Last-Event-ID', message('validation.invalid'))
  return read.data
}
