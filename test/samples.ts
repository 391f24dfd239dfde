/** Requests for every endpoint, made from what it says about itself. */
import { z } from 'zod'
import type { AnyEndpoint } from '../src/http/endpoint.ts'
import { password } from './harness.ts'

/** JSON Schema, as far as it is looked at. */
interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  minLength?: number
  minItems?: number
  pattern?: string
}

/** What makes sense under these names. */
const values: Record<string, unknown> = {
  email: 'somebody@example.org',
  password: 'a very long passphrase',
  currentPassword: password,
  role: 'editor',
  language: 'de',
  id: 'somebody',
  code: '123456',
  scopes: 'pages.read',
  operator: '==',
}

/** Texts of the forms that schemas ask for. */
const forms = ['AAAA', 'usb', 'x']

/** Good bodies: with what is required, and with everything, in each of the forms there are. None: nothing is sent. */
export function bodiesOf({ body }: AnyEndpoint): unknown[] {
  if (!body) return [undefined]
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema
  const found = (schema.oneOf ?? [schema]).flatMap(form => [sample(form, '', false), sample(form, '', true)])
  const good = [...new Map(found.map(one => [JSON.stringify(one), one])).values()].filter(
    one => body.safeParse(one).success,
  )
  if (good.length === 0) throw new Error('There is no sample of a body: please name its values in test/samples.ts')
  return good
}

function sample(schema: Schema, name: string, full: boolean): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first) return sample(first, name, full)
  switch (schema.type) {
    case 'object':
      return object(schema, full)
    case 'array':
      return full || (schema.minItems ?? 0) > 0 ? [sample(schema.items ?? {}, name, full)] : []
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1)
    case 'boolean':
      return true
    default:
      return text(schema, name)
  }
}

function object({ properties = {}, required = [] }: Schema, full: boolean): object {
  const chosen = Object.entries(properties).filter(([key]) => full || required.includes(key))
  return Object.fromEntries(chosen.map(([key, inner]) => [key, sample(inner, key, full)]))
}

function text({ pattern, minLength = 1 }: Schema, name: string): unknown {
  if (pattern !== undefined) return forms.find(form => new RegExp(pattern, 'u').test(form))
  return values[name] ?? 'x'.repeat(minLength || 1)
}

// ---- addresses

/** What stands for the parts of an address, by the path up to them. */
const parts: Record<string, string> = {
  '/roles/:name': 'admin',
  '/translations/:id': 'en',
  '/users/:id/sessions/:session': 'x',
  '/users/:id/tokens/:token': 'x',
  '/users/:id/passkeys/:passkey': 'x',
}

/** The address of an endpoint; `user` is the account it is about, if it is about one. */
export function urlOf({ path }: AnyEndpoint, user: string): string {
  const filled = path.replaceAll(/:\w+/g, (part, at: number) => {
    const upTo = path.slice(0, at) + part
    const value = upTo === '/users/:id' ? user : parts[upTo]
    if (value === undefined) throw new Error(`Please say in test/samples.ts what ${upTo} could be`)
    return value
  })
  return `/api${filled}`
}
