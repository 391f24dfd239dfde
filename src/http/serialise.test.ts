import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { serialiserSchema } from './serialise.ts'

/** The value as the server would send it: through the function that is compiled from the schema. */
async function sent(schema: z.ZodType, value: unknown): Promise<unknown> {
  const server = Fastify()
  server.get('/', { schema: { response: { 200: serialiserSchema(schema) } } }, () => value)
  const answer = await server.inject('/')
  await server.close()
  return answer.statusCode === 200 ? answer.json() : answer.statusCode
}

const account = z.object({ id: z.string(), name: z.string().nullable(), nick: z.string().optional() })

test('undeclared fields are never sent, at any depth', async () => {
  const row = { id: 'a', name: 'Ada', password_hash: 'swordfish', extra: { password: 'swordfish' } }
  expect(await sent(account, row)).toEqual({ id: 'a', name: 'Ada' })
  const nested = z.object({ data: z.array(account), owner: account.optional(), deep: z.object({ more: account }) })
  expect(await sent(nested, { data: [row, row], owner: row, deep: { more: row, secret: 1 }, secret: 2 })).toEqual({
    data: [
      { id: 'a', name: 'Ada' },
      { id: 'a', name: 'Ada' },
    ],
    owner: { id: 'a', name: 'Ada' },
    deep: { more: { id: 'a', name: 'Ada' } },
  })
})

test('null stays null if allowed, and optional fields may be missing', async () => {
  expect(await sent(account, { id: 'a', name: null })).toEqual({ id: 'a', name: null })
  expect(await sent(z.object({ owner: account.nullable() }), { owner: null })).toEqual({ owner: null })
  expect(await sent(z.object({ owner: account.nullable() }), { owner: { id: 'a', name: 'x', secret: 1 } })).toEqual({
    owner: { id: 'a', name: 'x' },
  })
})

test('a missing required field is an error', async () => {
  expect(await sent(account, { name: 'Ada' })).toBe(500)
})

test('strings are sent unchanged', async () => {
  const name = 'Zoë "/\\\u2028\u0000 日本 👋 </script>'
  expect(await sent(account, { id: 'a', name })).toEqual({ id: 'a', name })
})

test('each member of a union is sent with its own fields only', async () => {
  const either = z.object({
    shape: z.union([
      z.object({ kind: z.literal('circle'), radius: z.number() }),
      z.object({ kind: z.literal('square'), side: z.number() }),
    ]),
  })
  expect(await sent(either, { shape: { kind: 'square', side: 2, secret: 1 } })).toEqual({
    shape: { kind: 'square', side: 2 },
  })
})

test('compatible members of a union are merged', async () => {
  const step = z.union([
    z.object({ status: z.literal('ok'), user: account }),
    z.object({ status: z.literal('ok'), next: z.string() }),
  ])
  expect(JSON.stringify(serialiserSchema(step))).not.toContain('anyOf')
  expect(await sent(step, { status: 'ok', next: 'login', secret: 1 })).toEqual({ status: 'ok', next: 'login' })
  const user = { id: 'a', name: null }
  expect(await sent(step, { status: 'ok', user: { ...user, secret: 1 } })).toEqual({ status: 'ok', user })
  expect(await sent(step, { user })).toBe(500)
})

test('a union of scalars is sent as it is, and never an object', async () => {
  const side = z.object({ side: z.union([z.literal(false), z.enum(['left', 'right']), z.number().nullable()]) })
  expect(JSON.stringify(serialiserSchema(side))).not.toContain('anyOf')
  for (const value of [false, 'left', 2.5, null]) expect(await sent(side, { side: value })).toEqual({ side: value })
  expect(JSON.stringify(await sent(side, { side: { secret: 'swordfish' } }))).not.toContain('swordfish')
})

test('records keep their keys, and their values follow the schema', async () => {
  const record = z.record(z.string(), z.object({ id: z.string() }))
  expect(await sent(z.object({ all: record }), { all: { a: { id: 'x', secret: 1 } } })).toEqual({
    all: { a: { id: 'x' } },
  })
})

test('a nullable field needs no `anyOf`, and `$schema` is dropped', () => {
  expect(JSON.stringify(serialiserSchema(account))).not.toMatch(/\$schema|anyOf/)
})

test('equal parts of a schema are one object, for which code is generated once', async () => {
  const schema = serialiserSchema(z.object({ author: account, editor: account, others: z.array(account) }))
  const { author, editor, others } = schema['properties'] as Record<string, { items?: unknown }>
  expect(author).toBe(editor)
  expect(others!.items).toBe(author)
})
