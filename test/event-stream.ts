/** A client of a stream of server-sent events. */
import { type ClientRequest, request, type RequestOptions } from 'node:http'

export interface StreamEvent {
  id: string
  event: string
  data: { id: number; event: string; title: string | null; detail: Record<string, unknown> }
}

export interface StreamClient {
  status: number
  headers: Record<string, unknown>
  /** The body, if the request was refused. */
  body: string
  received: StreamEvent[]
  /** The position after the last message or heartbeat. */
  lastEventId: string
  /** How many heartbeats have arrived. */
  heartbeats: number
  /** Resolves when this many messages have arrived. */
  waitForEvents(count: number): Promise<StreamEvent[]>
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  close(): void
}

export function openStream(
  port: number,
  headers: Record<string, string>,
  path = '/api/site/events',
  createRequest: (options: RequestOptions) => ClientRequest = request,
): Promise<StreamClient> {
  return new Promise((resolve, reject) => {
    const clientRequest = createRequest({
      port,
      host: '127.0.0.1',
      path,
      agent: false,
      headers: { accept: 'text/event-stream', ...headers },
    })
    clientRequest.once('response', response => {
      const waiting = new Set<() => void>()
      const client: StreamClient = {
        status: response.statusCode!,
        headers: response.headers,
        body: '',
        received: [],
        lastEventId: '',
        heartbeats: 0,
        waitForEvents: count =>
          new Promise(resolveEvents => {
            const check = () => client.received.length >= count && resolveEvents(client.received)
            waiting.add(check)
            check()
          }),
        ended: new Promise(done => response.once('close', done)),
        close: () => clientRequest.destroy(),
      }
      let text = ''
      response.setEncoding('utf8')
      response.on('error', () => {})
      response.on('data', (chunk: string) => {
        text += chunk
        client.body += client.status === 200 ? '' : chunk
        const parts = text.split('\n\n')
        text = parts.pop()!
        for (const part of parts) handleMessage(client, part)
        for (const check of waiting) check()
      })
      if (client.status === 200) resolve(client)
      else response.once('end', () => resolve(client))
    })
    clientRequest.once('error', reject)
    clientRequest.end()
  })
}

function handleMessage(client: StreamClient, part: string): void {
  if (part.startsWith(':')) client.heartbeats++
  const fields = new Map(
    part.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.replace(/^[^:]*: ?/, '')]),
  )
  const id = fields.get('id')
  if (id !== undefined) client.lastEventId = id
  const data = fields.get('data')
  if (data !== undefined)
    client.received.push({ id: id!, event: fields.get('event')!, data: JSON.parse(data) as StreamEvent['data'] })
}
