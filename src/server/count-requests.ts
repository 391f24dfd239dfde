import type { FastifyInstance, onSendHookHandler } from 'fastify'
import type { App } from '../app.ts'

/** Routes outside the API, by the beginning of their path. The one that is left is `/`, the start page. */
const names: [pattern: RegExp, name: string][] = [
  [/^\/media\//, 'media'],
  [/^\/panel(?:\/|$)/, 'panel'],
  [/^\/health\//, 'health'],
  [/^\/metrics$/, 'metrics'],
  [/^\/openapi\.json$/, 'openapi'],
  [/^\/reference(?:\/|$)/, 'reference'],
]

/**
 * Counts the answers of every route that is added afterwards, with a hook of each route: a hook for all would have to look
 * up the metrics of the route for every request.
 */
export function countRequests(server: FastifyInstance, { config, metrics }: App): void {
  const hooks = new WeakSet<object>()
  server.addHook('onRoute', route => {
    const others = [route.onSend ?? []].flat()
    if (others.some(hook => hooks.has(hook))) return // Fastify adds HEAD to GET, with the same hooks
    const path = route.url.startsWith(config.base) ? route.url.slice(config.base.length) : route.url
    const name = () => names.find(([pattern]) => pattern.test(path))?.[1] ?? 'start'
    const requests = route.config?.requests ?? metrics.requestsOf(name())
    const count: onSendHookHandler = ({ exchange }, reply, payload, done) => {
      requests.count(reply.statusCode, performance.now() - exchange.startedAt)
      done(null, payload)
    }
    hooks.add(count)
    route.onSend = [...others, count]
  })
}
