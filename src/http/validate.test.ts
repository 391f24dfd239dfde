import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type ApiError, fail } from '../platform/errors.ts'
import { api } from '../api.ts'
import { Message, message } from '../platform/texts.ts'
import { type AnyEndpoint, listEndpoints } from './endpoint.ts'
import { customRule, validate } from './validate.ts'

const schema = z.strictObject({
  title: z.string().min(3).max(10),
  note: z.string().min(1).optional(),
  count: z.int().min(1).max(5).optional(),
  ratio: z.number().optional(),
  draft: z.boolean().optional(),
  kind: z.enum(['page', 'post']).optional(),
  tags: z.array(z.string()).min(1).max(2).optional(),
  links: z.array(z.string()).min(2).optional(),
  place: z.strictObject({ city: z.string() }).optional(),
  email: z
    .string()
    .refine(text => text.includes('@'), customRule('email', message('validation.email')))
    .refine(text => text.length < 30, 'Said by zod')
    .optional(),
  either: z.union([z.string(), z.array(z.string())]).optional(),
})
const endpoint = {} as AnyEndpoint

function problemOf(value: unknown, options: Partial<AnyEndpoint> = {}): ApiError {
  try {
    validate({ ...endpoint, ...options }, schema, value)
  } catch (error) {
    return error as ApiError
  }
  throw new Error('nothing was wrong')
}
/** As they are sent: messages write themselves in English. */
const detailsOf = (value: unknown) =>
  JSON.parse(JSON.stringify(problemOf({ title: 'Right', ...(value as object) }).details)) as object

test('a valid value is returned as the schema parses it', () => {
  expect(validate(endpoint, schema, { title: 'Right', count: 2 })).toEqual({ title: 'Right', count: 2 })
})

test.each([
  [{ title: 'ab' }, 'title', 'minlength', 'This needs at least 3 characters.'],
  [{ title: 'a'.repeat(11) }, 'title', 'maxlength', 'This can have at most 10 characters.'],
  [{ note: '' }, 'note', 'minlength', 'This must not be empty.'],
  [{ title: 1 }, 'title', 'type', 'This must be a text.'],
  [{ title: null }, 'title', 'type', 'This must be a text.'],
  [{ count: 0 }, 'count', 'min', 'This must be at least 1.'],
  [{ count: 6 }, 'count', 'max', 'This must be at most 5.'],
  [{ count: 1.5 }, 'count', 'type', 'This must be a whole number.'],
  [{ count: '1' }, 'count', 'type', 'This must be a number.'],
  [{ ratio: 'x' }, 'ratio', 'type', 'This must be a number.'],
  [{ draft: 'true' }, 'draft', 'type', 'This must be true or false.'],
  [{ kind: 'x' }, 'kind', 'options', 'This must be one of: page, post.'],
  [{ tags: 'x' }, 'tags', 'type', 'This must be a list.'],
  [{ tags: [] }, 'tags', 'min', 'This must not be empty.'],
  [{ links: ['a'] }, 'links', 'min', 'This needs at least 2 entries.'],
  [{ tags: ['a', 'b', 'c'] }, 'tags', 'max', 'This can have at most 2 entries.'],
  [{ tags: ['a', 1] }, 'tags.1', 'type', 'This must be a text.'],
  [{ place: 'x' }, 'place', 'type', 'This must be an object.'],
  [{ place: {} }, 'place.city', 'type', 'This must be a text.'],
  [{ place: { city: '', x: 1 } }, 'place.x', 'unknown', 'There is no such field.'],
  [{ email: 'x' }, 'email', 'email', 'This must be an e-mail address.'],
  [{ email: `${'x'.repeat(30)}@` }, 'email', 'invalid', 'This is not valid.'],
  [{ either: 1 }, 'either', 'invalid', 'This is not valid.'],
  [{ nonsense: 1 }, 'nonsense', 'unknown', 'There is no such field.'],
])('%j is invalid at %s: %s', (value, name, rule, text) => {
  expect(detailsOf(value)).toEqual({ [name]: { label: name.split('.').at(-1), message: { [rule]: text } } })
})

test('every invalid field has its own entry', () => {
  expect(Object.keys(problemOf({ count: 0, draft: 1, role: 'admin', id: 1 }).details)).toEqual([
    'title',
    'count',
    'draft',
    'role',
    'id',
  ])
})

test.each([undefined, null, [], 'x', 1, true])('%j in place of an object is invalid as a whole', value => {
  expect(problemOf(value)).toMatchObject({ key: 'validation', status: 400, details: { body: { label: 'body' } } })
})

test('__proto__ and similar names are unknown fields', () => {
  const value = JSON.parse('{"title":"Right","__proto__":{"role":"admin"},"constructor":1,"toString":2}') as object
  const { details } = problemOf(value)
  expect(Object.keys(details).toSorted()).toEqual(['__proto__', 'constructor', 'toString'])
  expect(Object.getPrototypeOf(details)).toBe(Object.prototype)
  expect(JSON.stringify(details)).toContain('"__proto__":{"label":"__proto__"')
  expect(({} as { role?: string }).role).toBeUndefined()
})

test('many unknown fields and long names give a short response', () => {
  const value = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${'x'.repeat(1000)}${index}`, 1]))
  const many = problemOf({ title: 'Right', ...value })
  expect(JSON.stringify(many.details).length).toBeLessThan(5000)
})

test('an endpoint may have its own error, or none for this one', () => {
  expect(problemOf({}, { invalid: () => fail('auth.method') })).toMatchObject({ key: 'auth.method' })
  expect(problemOf({}, { invalid: () => undefined })).toMatchObject({ key: 'validation' })
})

test('sent values are never repeated, and any input is valid or a validation error', () => {
  const secret = 'swordfish'
  const value = fc.oneof(
    fc.constant(secret),
    fc.constant([secret]),
    fc.constant({ city: [secret] }),
    fc.constant({ [0]: secret }),
    fc.double(),
    fc.constant(null),
  )
  const body = fc.dictionary(fc.constantFrom(...Object.keys(schema.shape), 'other'), value)
  fc.assert(
    fc.property(body, fields => {
      const problem = problemOf({ ...fields, title: [secret] })
      expect(problem.key).toBe('validation')
      expect(JSON.stringify([problem.details, problem.message])).not.toContain(secret)
    }),
  )
})

// ---- kinds

/** Values of every kind in every place of a schema, as far as it can be seen into. */
function* wrongValues(type: z.ZodType): Generator {
  yield* [undefined, null, 5, 1.5, 'x', true, [], {}, ['x', 5, null], { x: 5 }]
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault || type instanceof z.ZodNullable)
    yield* wrongValues(type.unwrap() as z.ZodType)
  if (type instanceof z.ZodArray) for (const value of wrongValues(type.element as z.ZodType)) yield [value]
  if (type instanceof z.ZodRecord)
    for (const value of wrongValues(type.valueType as z.ZodType)) yield { x: value, y: value }
  if (type instanceof z.ZodObject)
    for (const [name, inner] of Object.entries<z.ZodType>(type.shape))
      for (const value of wrongValues(inner)) yield { [name]: value }
}

const schemas = [...listEndpoints(api)].flatMap(([, { method, path, body, query }]) => [
  ...(body ? [[`body of ${method} ${path}`, body] as const] : []),
  ...(query ? [[`query of ${method} ${path}`, query] as const] : []),
])

test.each(schemas)('every problem of the %s has our own message', (_, type) => {
  for (const value of wrongValues(type)) {
    try {
      validate(endpoint, type, value)
    } catch (error) {
      for (const { message: broken } of Object.values((error as ApiError).details) as { message: object }[])
        for (const text of Object.values(broken) as Message[]) {
          expect(text).toBeInstanceOf(Message)
          if (text.key === 'validation.type') expect(text.data['kind']).toBeInstanceOf(Message)
        }
    }
  }
})

function messageFor(kind: z.ZodType): unknown {
  try {
    return validate(endpoint, z.object({ it: kind }), { it: 5 })
  } catch (error) {
    return JSON.parse(JSON.stringify((error as ApiError).details['it']))
  }
}

test('a map is an object; a type without a name is just invalid', () => {
  const label = 'it'
  expect(messageFor(z.record(z.string(), z.string()))).toEqual({ label, message: { type: 'This must be an object.' } })
  for (const kind of [z.date(), z.map(z.string(), z.string()), z.bigint(), z.tuple([z.string()]), z.never()])
    expect(messageFor(kind)).toEqual({ label, message: { invalid: 'This is not valid.' } })
})
