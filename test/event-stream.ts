/** A client of a stream of server-sent events. */
import { type ClientRequest, request, type RequestOptions } from 'node:http'

export interface Received {
  id: string
  event: string
  data: { id: number; event: string; title: string | null; detail: Record<string, unknown> }
}

export interface StreamClient {
  status: number
  headers: Record<string, unknown>
  /** The body, if the request was refused. */
  body: string
  received: Received[]
  /** The position after the last message or heartbeat. */
  lastEventId: string
  /** How many heartbeats have arrived. */
  heartbeats: number
  /** Resolves when this many messages have arrived. */
  until(count: number): Promise<Received[]>
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  close(): void
}

export function openStream(
  port: number,
  headers: Record<string, string>,
  path = '/api/site/events',
  send: (options: RequestOptions) => ClientRequest = request,
): Promise<StreamClient> {
  return new Promise((resolve, reject) => {
    const sent = send({
      port,
      host: '127.0.0.1',
      path,
      agent: false,
      headers: { accept: 'text/event-stream', ...headers },
    })
    sent.once('response', response => {
      const waiting = new Set<() => void>()
      const client: StreamClient = {
        status: response.statusCode!,
        headers: response.headers,
        body: '',
        received: [],
        lastEventId: '',
        heartbeats: 0,
        until: count =>
          new Promise(done => {
            const check = () => client.received.length >= count && done(client.received)
            waiting.add(check)
            check()
          }),
        ended: new Promise(done => response.once('close', done)),
        close: () => sent.destroy(),
      }
      let text = ''
      response.setEncoding('utf8')
      response.on('error', () => {})
      response.on('data', (chunk: string) => {
        text += chunk
        client.body += client.status === 200 ? '' : chunk
        const parts = text.split('\n\n')
        text = parts.pop()!
        for (const part of parts) take(client, part)
        for (const check of waiting) check()
      })
      if (client.status === 200) resolve(client)
      else response.once('end', () => resolve(client))
    })
    sent.once('error', reject)
    sent.end()
  })
}

function take(client: StreamClient, part: string): void {
  if (part.startsWith(':')) client.heartbeats++
  const fields = new Map(
    part.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.replace(/^[^:]*: ?/, '')]),
  )
  const id = fields.get('id')
  if (id !== undefined) client.lastEventId = id
  const data = fields.get('data')
  if (data !== undefined)
    client.received.push({ id: id!, event: fields.get('event')!, data: JSON.parse(data) as Received['data'] })
}
