/** A server that receives webhooks, and verifies them as receivers do. */
import { once } from 'node:events'

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { beforeCleanUp } from './harness.ts'

export interface ReceivedHook {
  id: string
  headers: IncomingHttpHeaders
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
  json: any
  body: string
}

export interface Receiver {
  url: string
  hooks: ReceivedHook[]
  /** How to respond; 200 by default. */
  respond: (response: ServerResponse, hook: ReceivedHook) => void
}

/** Uses HTTPS with this certificate. */
export async function createReceiver(certificate?: { key: string; cert: string }): Promise<Receiver> {
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {})
    try {
      const body = await text(request)
      const hook = { id: String(request.headers['webhook-id']), headers: request.headers, json: JSON.parse(body), body }
      receiver.hooks.push(hook)
      receiver.respond(response, hook)
    } catch {
      response.destroy()
    }
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => void receive(request, response)
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener)
  const receiver: Receiver = {
    url: '',
    hooks: [],
    respond: response => void response.end('ok'),
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  receiver.url = `${certificate ? 'https' : 'http'}://127.0.0.1:${port}/hook`
  beforeCleanUp(async () => {
    server.close()
    server.closeAllConnections()
  })
  return receiver
}

/** Throws unless the signature is right. */
export function verify({ body, headers }: ReceivedHook, secret: string): void {
  new Webhook(secret).verify(body, headers as { [name: string]: string })
}
