import { setImmediate as nextTurn } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { EventStream } from '../../../http/event-stream.ts'
import { feedEvents, kindOf } from './names.ts'
import { type FeedFilter, selectSpan, selectBatchEnd, type Span, type TailRow } from './queries.ts'
import { visibleEvents } from './visible.ts'
import { withSubjects } from './subjects.ts'
import { openTail, type Tail } from './tail.ts'
import { selectPresenceVersion } from '../presence/queries.ts'
import { feedView } from './view.ts'

/** A stream of the feed. */
interface Subscriber {
  /** Whether to report changes of presence. */
  wantsPresence: boolean
  ctx: RequestContext
  filter: FeedFilter
  stream: EventStream
  /** Ids that were committed late while older events were still being sent; undefined once the stream is live. */
  late?: number[] | undefined
  /** The id up to which older events have been sent. */
  sentUpTo: number
}

interface Hub {
  /** The presence version that was last sent. */
  presenceVersion?: string
  subscribers: Set<Subscriber>
  tail: Promise<Tail>
}

/** How often a process looks for new events, in ms. On SQLite, checking for a commit takes microseconds. */
const intervalMs = { sqlite: 500, postgres: 1000 }

/** One per process, while there are streams. */
const hubs = new WeakMap<App, Hub>()

/**
 * Sends the events after `last`, then those that happen. Each is sent at least once: the position of a message is one up
 * to which nothing can be missing, so a client that connects again may get some events twice.
 */
export async function sendFeed(
  ctx: RequestContext,
  filter: FeedFilter,
  stream: EventStream,
  { last, wantsPresence }: { last: number | undefined; wantsPresence: boolean },
): Promise<void> {
  const { app } = ctx
  const subscriber: Subscriber = { ctx, filter, stream, wantsPresence, late: [], sentUpTo: 0 }
  const hub = hubs.get(app) ?? openHub(app)
  hub.subscribers.add(subscriber)
  stream.onClose(() => hub.subscribers.delete(subscriber))
  try {
    const tail = await hub.tail
    // `last` is higher than every id if the client got it before a backup was restored.
    subscriber.sentUpTo = Math.min(last ?? tail.position, tail.position)
    stream.position = String(Math.min(subscriber.sentUpTo, tail.complete))
    await sendOlder(subscriber, tail)
  } catch (error) {
    fail(app, error)
    stream.close()
  }
}

/** Maximum number of events per batch. */
const batchSize = 500

/** Catches up with the tail. From then on, the hub sends what it reads. */
async function sendOlder(subscriber: Subscriber, tail: Tail): Promise<void> {
  const { ctx, stream, late } = subscriber
  while (!stream.isClosed) {
    if (late!.length > 0) await send(subscriber, tail, late!.splice(0))
    else if (subscriber.sentUpTo < tail.position) {
      const until = await selectBatchEnd(ctx.app.store, subscriber.sentUpTo, tail.position, batchSize)
      await send(subscriber, tail, { after: subscriber.sentUpTo, until })
      subscriber.sentUpTo = until
      await stream.drained()
      await nextTurn()
    } else {
      subscriber.late = undefined
      return
    }
  }
}

/** Sends what the caller may see now: role, scopes and blueprints may have changed since the stream was opened. */
async function send({ ctx: opened, filter, stream }: Subscriber, tail: Tail, span: Span): Promise<void> {
  if (stream.isClosed) return
  const ctx: RequestContext = { ...opened, actor: stream.caller }
  const rows = await selectSpan(ctx.app.store, visibleEvents(ctx, { forList: filter.page === undefined }), filter, span)
  const shown = rows.length === 0 ? [] : await feedView.showAll(ctx, await withSubjects(ctx, rows))
  shown.forEach((data, index) => {
    stream.position = String(Math.min(rows[index]!.id, tail.complete))
    stream.send({ event: rows[index]!.event, data })
  })
}

function openHub(app: App): Hub {
  const hub: Hub = { subscribers: new Set(), tail: openTail(app.store) }
  hubs.set(app, hub)
  let version: number | undefined
  const poll = async () => {
    if (hub.subscribers.size === 0) {
      hubs.delete(app)
      return
    }
    try {
      const current = app.store.version()?.number
      if (current === undefined || current !== version) {
        await distribute(app, hub)
        await sendPresence(app, hub)
        version = current
      }
    } catch (error) {
      fail(app, error)
    }
    setTimeout(() => void poll(), intervalMs[app.store.name]).unref()
  }
  setTimeout(() => void poll(), intervalMs[app.store.name]).unref()
  return hub
}

/**
 * Sends everything that was committed since the last time. The tail does not read it again: a subscriber that cannot be
 * served loses its stream, and its client resumes at the last position.
 */
async function distribute(app: App, { subscribers, tail: opening }: Hub): Promise<void> {
  const tail = await opening
  for (let read = await tail.read(); read.late.length + read.rows.length > 0; read = await tail.read()) {
    const rows = [...read.late, ...read.rows]
    const [late, next] = [read.late, read.rows].map(feedEventIdsOf) as [number[], number[]]
    for (const subscriber of subscribers) {
      const { stream } = subscriber
      if (rows.some(row => canEndAccess(row, subscriber))) await stream.check()
      if (subscriber.late) subscriber.late.push(...late) // it reads the newer ones itself
      else {
        const ids = [...late, ...next.filter(id => id > subscriber.sentUpTo)]
        try {
          if (ids.length > 0) await send(subscriber, tail, ids)
          stream.position = String(tail.complete)
        } catch (error) {
          fail(app, error)
          stream.close()
        }
      }
      await nextTurn()
    }
  }
}

/** Sends only that presence has changed: each client then requests what it may see. */
async function sendPresence({ store }: App, hub: Hub): Promise<void> {
  const interested = [...hub.subscribers].filter(({ wantsPresence }) => wantsPresence)
  if (interested.length === 0) return
  const version = await selectPresenceVersion(store)
  if (version === hub.presenceVersion) return
  hub.presenceVersion = version
  for (const { stream } of interested) stream.send({ event: 'presence', data: {} })
}

const feedEventIdsOf = (rows: readonly TailRow[]) =>
  rows.filter(({ event }) => feedEventNames.has(event)).map(({ id }) => id)

const feedEventNames: ReadonlySet<string> = new Set(feedEvents)

/**
 * Whether the access of the caller may have ended or changed. Sign-outs, revocations and changes of a role are events;
 * expiry is noticed at the next heartbeat.
 */
function canEndAccess({ event, subject_id: subject }: TailRow, { stream }: Subscriber): boolean {
  if (!['auth', 'user', 'trash'].includes(kindOf(event))) return false
  return subject === null || subject === stream.caller.user.id
}

function fail({ log, store }: App, error: unknown): void {
  log[store.isOutage(error) ? 'warn' : 'error']({ err: error }, 'new events could not be read for the event streams')
}
