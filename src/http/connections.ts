import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fail } from '../platform/errors.ts'
import { message } from '../platform/texts.ts'
import { failure } from './failure.ts'

/** Slow callers must not hold connections. What is no upload has to arrive much sooner than this: see `expectBody`. */
export const connectionLimits = {
  requestTimeout: 60 * 60_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
  requireHostHeader: false, // the door asks for it, and answers in our form
}
const served = Symbol('served')
const maxRequests = 1000

/** A connection is closed after so many requests, politely: Node's own limit would answer the next one with 503. */
export function isWornOut(socket: Socket & { [served]?: number }): boolean {
  const count = (socket[served] ?? 0) + 1
  socket[served] = count
  return count >= maxRequests
}

const latest = Symbol('latest')
const former = Symbol('former')

interface Answering {
  request: IncomingMessage
  response: ServerResponse
}

type Tracked = Socket & { [latest]?: Answering; [former]?: Answering }

/** Keeps in mind what a connection is being answered. Answers are given in order: the last one that is whole is enough. */
export function trackAnswer(request: IncomingMessage, response: ServerResponse): void {
  const socket: Tracked = request.socket
  if (socket[latest]) socket[former] = socket[latest]
  socket[latest] = { request, response }
}

/** Does the work after all requests that came whole have been answered: what follows them must not cost them the answer. */
export function afterAnswers(socket: Tracked, work: () => void): void {
  const last = socket[latest]
  if (last && !last.request.complete && last.response.writableEnded) return socket.destroySoon() // it has its answer
  const whole = last?.request.complete ? last : socket[former]
  if (!whole || whole.response.closed || socket.destroyed) return work()
  // A connection that ends with the answer is left alone: what was written may not have gone out yet.
  whole.response.once('close', () => setImmediate(() => socket.writable && work()))
}

/** How long a body may take to arrive, in milliseconds. */
const patience = 15_000
const clocks = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Whoever does not send the rest of a request in time is told so, and cut off. */
export function expectBody(request: IncomingMessage, response: ServerResponse, always: Record<string, string>): void {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
  const clock = setTimeout(() => {
    if (request.complete) return
    if (response.headersSent) request.socket.destroy()
    else answerBrokenRequest(tooLate, request.socket, always)
  }, patience).unref()
  clocks.set(request, clock)
  request.once('close', () => clearTimeout(clock))
}

const tooLate = Object.assign(new Error('the request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** An upload takes as long as it takes: while it is read, that it goes on is the concern of whoever reads it. */
export async function whileUploading<Value>(request: IncomingMessage, read: () => Promise<Value>): Promise<Value> {
  const clock = clocks.get(request)
  const beat = setInterval(() => clock?.refresh(), patience / 3).unref()
  try {
    return await read()
  } finally {
    clearInterval(beat)
    clock?.refresh() // what is left of a refused one comes soon, or never
  }
}

const lingering = 1000

/** What the parser of Node refused never becomes a request: it is answered on the bare connection. */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  always: Record<string, string>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const known =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? fail('request.headersTooLarge')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? fail('request.timeout')
        : fail('request.malformed', { problem: message('malformed.framing') })
  const { status, headers, body } = failure(known, undefined)
  const lines = Object.entries({
    ...always,
    ...headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  socket.end(
    `HTTP/1.1 ${status} ${known.key}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
  setTimeout(() => socket.destroy(), lingering).unref() // for those who do not hang up
}
