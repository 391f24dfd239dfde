/** The baseline: Fastify with one route that returns the given status, headers and body. */
import Fastify from 'fastify'

const [status = '200', headers = '{}', body = '', route = '/api/auth'] = process.argv.slice(2)
const constant = JSON.parse(headers) as Record<string, string>
const server = Fastify()
server.get(route, (_, reply) => {
  void reply.code(Number(status)).headers(constant).send(body)
})
const url = await server.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url }))
process.on('SIGTERM', () => void server.close())
