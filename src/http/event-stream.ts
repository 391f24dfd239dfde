import type { ServerResponse } from 'node:http'
import type { Caller } from '../access/actor.ts'
import { fail } from '../platform/errors.ts'

/** A message of a stream of server-sent events. */
export interface StreamMessage {
  event: string
  data: unknown
}

/** An open response with server-sent events. It ends when the client leaves, the session ends or the server stops. */
export interface EventStream {
  /** The caller as of the last check. */
  readonly caller: Caller
  readonly isClosed: boolean
  /** The position that clients send back as `Last-Event-ID`; sent with every message and every heartbeat. */
  position: string
  send(message: StreamMessage): void
  /** Resolves when the client has read most of what was sent, or when the stream is closed. */
  drained(): Promise<void>
  /** Identifies the caller again, and closes the stream if their access has ended. */
  check(): Promise<void>
  onClose(listener: () => void): void
  close(): void
}

/** Sends the messages of a stream until it is closed. */
export type StreamSource = (stream: EventStream) => void

export interface StreamLimits {
  /** Streams of this process, and of one account. */
  streams: number
  perAccount: number
  /** In bytes. A client that leaves more than this unread loses its stream: the rest would stay in memory. */
  unread: number
  /** In ms. Shorter than the idle time-outs of proxies. */
  heartbeatMs: number
  /** How long clients wait before they connect again, in ms. */
  retryMs: number
}

const defaultLimits: StreamLimits = {
  streams: 100,
  perAccount: 20,
  unread: 1024 * 1024,
  heartbeatMs: 20_000,
  retryMs: 3000,
}

export const acceptsStream = (accept: string | undefined): boolean =>
  accept !== undefined && /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(accept)

/** Neither caches nor proxies may keep or compress it: messages would arrive late. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** How long a closing stream may flush, in ms. */
const lingerMs = 1000

interface StreamCaller {
  caller: Caller
  /** The caller as of now; undefined if their access has ended. */
  identify: () => Promise<Caller | undefined>
}

/** The open streams of a server. */
export interface Streams {
  /** Throws if there are too many. */
  mustBeBelowLimit(caller: Caller): void
  /** The headers have been written. */
  open(response: ServerResponse, streamCaller: StreamCaller): EventStream
  closeAll(): void
}

export function createStreams(limits: StreamLimits = defaultLimits): Streams {
  const all = new Set<EventStream>()
  return {
    mustBeBelowLimit({ user }) {
      const own = [...all].filter(({ caller }) => caller.user.id === user.id)
      if (all.size >= limits.streams || own.length >= limits.perAccount)
        throw fail('events.streams').with({ headers: { 'retry-after': '30' } })
    },
    open(response, streamCaller) {
      const stream = openStream(response, streamCaller, limits)
      all.add(stream)
      stream.onClose(() => all.delete(stream))
      return stream
    },
    closeAll: () => {
      for (const stream of all) stream.close()
    },
  }
}

function openStream(response: ServerResponse, { caller, identify }: StreamCaller, limits: StreamLimits): EventStream {
  const { unread, heartbeatMs, retryMs } = limits
  let isClosed = false
  const write = (text: string) => {
    if (isClosed) return
    response.write(text)
    if (response.writableLength > unread) response.destroy()
  }
  const stream = {
    caller,
    get isClosed() {
      return isClosed
    },
    position: '',
    send: ({ event, data }: StreamMessage) =>
      write(`id: ${stream.position}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    drained: async () => {
      if (isClosed || !response.writableNeedDrain) return
      await new Promise<void>(resolve => {
        for (const end of ['drain', 'close'] as const) response.once(end, () => resolve())
      })
    },
    async check() {
      const now = await identify().catch(() => undefined)
      if (now) stream.caller = now
      else stream.close()
    },
    onClose: (listener: () => void) => void response.once('close', listener),
    close() {
      if (isClosed) return
      isClosed = true
      response.end()
      setTimeout(() => response.destroy(), lingerMs).unref() // for clients that do not read
    },
  }
  const heartbeat = setInterval(() => {
    // A message without data only sets the position.
    write(stream.position === '' ? ':\n\n' : `:\nid: ${stream.position}\n\n`)
    void stream.check()
  }, heartbeatMs).unref()
  response.once('close', () => {
    isClosed = true
    clearInterval(heartbeat)
  })
  write(`retry: ${retryMs}\n\n`)
  return stream
}
