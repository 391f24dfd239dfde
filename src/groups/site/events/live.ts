import { setImmediate as nextTurn } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { EventStream } from '../../../http/event-stream.ts'
import { feedEvents, kindOf } from './names.ts'
import { type FeedFilter, selectSpan, selectStep, type Span, type TailRow } from './queries.ts'
import { visibleEvents } from './visible.ts'
import { withSubjects } from './subjects.ts'
import { openTail, type Tail } from './tail.ts'
import { presenceVersion } from '../presence/queries.ts'
import { feedView } from './view.ts'

/** A stream of the feed. */
interface Subscriber {
  /** Whether to report changes of presence. */
  presence: boolean
  ctx: RequestContext
  filter: FeedFilter
  stream: EventStream
  /** Ids that were committed late while older events were still being sent; undefined once the stream is live. */
  late?: number[] | undefined
  /** The id up to which older events have been sent. */
  until: number
}

interface Hub {
  /** Of who is here, as it was last sent. */
  presence?: string
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
  { last, presence }: { last: number | undefined; presence: boolean },
): Promise<void> {
  const { app } = ctx
  const subscriber: Subscriber = { ctx, filter, stream, presence, late: [], until: 0 }
  const hub = hubs.get(app) ?? openHub(app)
  hub.subscribers.add(subscriber)
  stream.onClose(() => hub.subscribers.delete(subscriber))
  try {
    const tail = await hub.tail
    // A higher id than any can come from before the restore of a backup.
    subscriber.until = Math.min(last ?? tail.position, tail.position)
    stream.position = String(Math.min(subscriber.until, tail.complete))
    await sendOlder(subscriber, tail)
  } catch (error) {
    fail(app, error)
    stream.close()
  }
}

/** Ids that are read at once. */
const step = 500

/** Catches up with the tail. From then on, the hub sends what it reads. */
async function sendOlder(subscriber: Subscriber, tail: Tail): Promise<void> {
  const { ctx, stream, late } = subscriber
  while (!stream.isClosed) {
    if (late!.length > 0) await send(subscriber, tail, late!.splice(0))
    else if (subscriber.until < tail.position) {
      const until = await selectStep(ctx.app.store, subscriber.until, tail.position, step)
      await send(subscriber, tail, { after: subscriber.until, until })
      subscriber.until = until
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
      const now = app.store.version()?.number
      if (now === undefined || now !== version) {
        await distribute(app, hub)
        await sendPresence(app, hub)
        version = now
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
    const [late, next] = [read.late, read.rows].map(shownIn) as [number[], number[]]
    for (const subscriber of subscribers) {
      const { stream } = subscriber
      if (rows.some(row => mayEndAccess(row, subscriber))) await stream.check()
      if (subscriber.late) subscriber.late.push(...late) // it reads the newer ones itself
      else {
        const ids = [...late, ...next.filter(id => id > subscriber.until)]
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

/** Says that it has changed, not who is here: clients ask for what they may see. */
async function sendPresence({ store }: App, hub: Hub): Promise<void> {
  const interested = [...hub.subscribers].filter(({ presence }) => presence)
  if (interested.length === 0) return
  const version = await presenceVersion(store)
  if (version === hub.presence) return
  hub.presence = version
  for (const { stream } of interested) stream.send({ event: 'presence', data: {} })
}

const shownIn = (rows: readonly TailRow[]) => rows.filter(({ event }) => isFeedEvent.has(event)).map(({ id }) => id)

const isFeedEvent: ReadonlySet<string> = new Set(feedEvents)

/** Whether the access of the caller may have ended or changed: every end of a session and change of a role is an event. */
function mayEndAccess({ event, subject_id: subject }: TailRow, { stream }: Subscriber): boolean {
  if (!['auth', 'user', 'trash'].includes(kindOf(event))) return false
  return subject === null || subject === stream.caller.user.id
}

function fail({ log, store }: App, error: unknown): void {
  log[store.isOutage(error) ? 'warn' : 'error']({ err: error }, 'the stream of events could not be read')
}
