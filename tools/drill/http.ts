/** Requests through HAProxy, with their answers and errors. */
import { Agent, request } from 'node:https'

/** A request. */
export interface Sent {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Uses a new connection, so that any instance and any worker may answer. */
  isAlone?: boolean
}

/** The answer to a request, or the error of its connection. */
export interface Received {
  /** When it was sent and how long it took, in ms of `performance.now`. */
  at: number
  ms: number
  /** The status, or the code of the error of the connection. */
  status: number | string
  /** The key of an error; undefined for an answer of HAProxy. */
  key: string | undefined
  /** The cookies of the answer, as the value of the header `Cookie`. */
  cookie: string
  body: Buffer
}

/** After this time without an answer, in ms, a request fails. */
const timeoutMs = 30_000

export type Send = (sent: Sent) => Promise<Received>

export function createClient(port: number): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false, servername: 'cms.example.org' })
  return ({ method = 'GET', path, headers = {}, body, isAlone = false }) =>
    new Promise(resolve => {
      const at = performance.now()
      const finish = (status: number | string, cookies: string[] = [], content = Buffer.alloc(0)) =>
        resolve({
          at,
          ms: performance.now() - at,
          status,
          key: typeof status === 'number' && status >= 400 ? keyOf(content) : undefined,
          cookie: cookies.map(one => one.split(';')[0]).join('; '),
          body: content,
        })
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          method,
          path,
          headers: { host: 'cms.example.org', ...length, ...headers },
          rejectUnauthorized: false,
          servername: 'cms.example.org',
          agent: isAlone ? false : agent,
          timeout: timeoutMs,
        },
        answer => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', () => finish(answer.statusCode!, answer.headers['set-cookie'], Buffer.concat(chunks)))
          answer.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
        },
      )
      sent.on('timeout', () => sent.destroy(Object.assign(new Error('no answer'), { code: 'no answer' })))
      sent.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
      sent.end(body)
    })
}

function keyOf(body: Buffer): string | undefined {
  try {
    return (JSON.parse(String(body)) as { key?: string }).key
  } catch {
    return undefined
  }
}
