import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fail } from '../platform/errors.ts'
import { message } from '../platform/texts.ts'
import { failure } from '../http/failure.ts'

/**
 * Slow clients must not occupy connections; times in ms, sizes in bytes. The long `requestTimeout` is for uploads:
 * other bodies must arrive within `bodyTimeoutMs`, see `expectBody`.
 */
export const connectionLimits = {
  requestTimeout: 60 * 60_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
  requireHostHeader: false, // `checkHost` requires it, and sends our error format
}
const requestCount = Symbol('served')
const maxRequests = 1000

/** True if the connection should close after this request. Node's own limit would answer the next request with 503. */
export function hasReachedMaxRequests(socket: Socket & { [requestCount]?: number }): boolean {
  const count = (socket[requestCount] ?? 0) + 1
  socket[requestCount] = count
  return count >= maxRequests
}

const latestRequest = Symbol('latest')
const previousRequest = Symbol('former')

interface Answering {
  request: IncomingMessage
  response: ServerResponse
}

type Tracked = Socket & { [latestRequest]?: Answering; [previousRequest]?: Answering }

/**
 * Remembers the latest request of a connection and the one before. Responses are sent in order, so waiting for the last
 * complete request is enough.
 */
export function trackAnswer(request: IncomingMessage, response: ServerResponse): void {
  const socket: Tracked = request.socket
  if (socket[latestRequest]) socket[previousRequest] = socket[latestRequest]
  socket[latestRequest] = { request, response }
}

/**
 * Runs `work` after all complete requests of the connection have been answered: a broken request that follows must not
 * cost them their responses.
 */
export function afterAnswers(socket: Tracked, work: () => void): void {
  const last = socket[latestRequest]
  if (last && !last.request.complete && last.response.writableEnded) return socket.destroySoon() // already answered
  const whole = last?.request.complete ? last : socket[previousRequest]
  if (!whole || whole.response.closed || socket.destroyed) return work()
  // Do nothing if the connection closes with the response: written data may not have been sent yet.
  whole.response.once('close', () => setImmediate(() => socket.writable && work()))
}

/** Timeout for receiving a body, in ms. */
const bodyTimeoutMs = 15_000
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Answers 408 and closes the connection if the body does not arrive in time. */
export function expectBody(
  request: IncomingMessage,
  response: ServerResponse,
  commonHeaders: Record<string, string>,
): void {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
  const bodyTimer = setTimeout(() => {
    if (request.complete) return
    if (response.headersSent) request.socket.destroy()
    else answerBrokenRequest(timeoutError, request.socket, commonHeaders)
  }, bodyTimeoutMs).unref()
  timers.set(request, bodyTimer)
  request.once('close', () => clearTimeout(bodyTimer))
}

const timeoutError = Object.assign(new Error('the request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** Suspends the body timeout while `read` runs: an upload may take longer, and its reader checks its progress. */
export async function whileUploading<Value>(request: IncomingMessage, read: () => Promise<Value>): Promise<Value> {
  const bodyTimer = timers.get(request)
  const refreshing = setInterval(() => bodyTimer?.refresh(), bodyTimeoutMs / 3).unref()
  try {
    return await read()
  } finally {
    clearInterval(refreshing)
    bodyTimer?.refresh() // the rest of a refused upload must arrive within the timeout
  }
}

const lingerMs = 1000

/** A request that Node's parser rejects never reaches Fastify, so the response is written directly to the socket. */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  commonHeaders: Record<string, string>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const apiError =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? fail('request.headersTooLarge')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? fail('request.timeout')
        : fail('request.malformed', { problem: message('malformed.framing') })
  const { status, headers, body } = failure(apiError, undefined)
  const lines = Object.entries({
    ...commonHeaders,
    ...headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  socket.end(
    `HTTP/1.1 ${status} ${apiError.key}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
  setTimeout(() => socket.destroy(), lingerMs).unref() // for clients that do not close the connection
}
