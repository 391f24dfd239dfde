/** Requests through HAProxy, with their answers and errors. */
import { Agent, request } from 'node:https'

export interface DrillRequest {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Uses a new connection, so that any instance and any worker may answer. */
  onNewConnection?: boolean
}

/** The answer to a request, or the error of its connection. */
export interface DrillResponse {
  /** When the request was sent, by `performance.now`. */
  sentAt: number
  durationMs: number
  /** The status, the code of the error of the connection, or `timeout`. */
  status: number | string
  /** The key of an error; undefined for an answer of HAProxy. */
  key: string | undefined
  /** The cookies of the answer, as the value of the header `Cookie`. */
  cookie: string
  body: Buffer
}

/** A request fails when nothing was sent or received on its connection for so long, in ms. */
const timeoutMs = 30_000

export type Send = (request: DrillRequest) => Promise<DrillResponse>

export function createClient(port: number): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false, servername: 'cms.example.org' })
  return ({ method = 'GET', path, headers = {}, body, onNewConnection = false }) =>
    new Promise(resolve => {
      const sentAt = performance.now()
      const finish = (status: number | string, cookies: string[] = [], content = Buffer.alloc(0)) =>
        resolve({
          sentAt,
          durationMs: performance.now() - sentAt,
          status,
          key: typeof status === 'number' && status >= 400 ? keyOf(content) : undefined,
          cookie: cookies.map(one => one.split(';')[0]).join('; '),
          body: content,
        })
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const clientRequest = request(
        {
          host: '127.0.0.1',
          port,
          method,
          path,
          headers: { host: 'cms.example.org', ...length, ...headers },
          rejectUnauthorized: false,
          servername: 'cms.example.org',
          agent: onNewConnection ? false : agent,
          timeout: timeoutMs,
        },
        answer => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', () => finish(answer.statusCode!, answer.headers['set-cookie'], Buffer.concat(chunks)))
          answer.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
        },
      )
      clientRequest.on('timeout', () => clientRequest.destroy(Object.assign(new Error('timeout'), { code: 'timeout' })))
      clientRequest.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
      clientRequest.end(body)
    })
}

function keyOf(body: Buffer): string | undefined {
  try {
    return (JSON.parse(String(body)) as { key?: string }).key
  } catch {
    return undefined
  }
}
