import { z } from 'zod'
import { namedSchemas } from '../../platform/lib/schema-names.ts'
import type { Steps } from '../../platform/lib/yield.ts'

/** A JSON schema, as far as the document looks into it. */
export interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  $ref?: string
  description?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  [keyword: string]: unknown
}

type Direction = 'input' | 'output'

const place = '#/components/schemas/'

/**
 * Converts schemas to JSON Schema. All are converted at once, so that a schema inside of many others is converted only
 * once: until `convert` has run, the returned objects are empty.
 */
export function createSchemas() {
  const requested = { input: new Map<z.ZodType, Schema>(), output: new Map<z.ZodType, Schema>() }

  function schemaOf(schema: z.ZodType, direction: Direction = 'output'): Schema {
    const known = requested[direction].get(schema)
    if (known) return known
    const empty: Schema = {}
    requested[direction].set(schema, empty)
    return empty
  }

  /** Fills the returned objects, and returns the named schemas that they refer to. */
  function* convert(): Steps<Record<string, Schema>> {
    const components: Record<string, Schema> = {}
    yield* fill('output', components)
    const ofAnswers = { ...components }
    // A schema that bodies and answers share has one name if both are the same.
    yield* fill('input', components, (name, schema) => {
      const other = ofAnswers[name]
      return other && JSON.stringify(other) !== JSON.stringify(schema) ? `${name}Input` : name
    })
    return Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  function* fill(
    direction: Direction,
    components: Record<string, Schema>,
    nameOf: (name: string, schema: Schema) => string = name => name,
  ): Steps<void> {
    const converted = yield* convertAll(requested[direction], direction)
    const added = new Map<string, string>()
    const add = (name: string): string => {
      const known = added.get(name)
      if (known !== undefined) return known
      added.set(name, name) // before its parts: schemas may refer to themselves
      const schema = rewrite(converted.get(name)!, converted, add)
      const component = nameOf(name, schema)
      added.set(name, component)
      components[component] = schema
      return component
    }
    for (const [schema, empty] of requested[direction])
      Object.assign(empty, rewrite({ $ref: place + idOf(schema, requested[direction]) }, converted, add))
    yield
  }

  return { schemaOf, convert }
}

type Converted = ReadonlyMap<string, Schema>

/** The name of a schema, or `:` and its number among the requested ones. */
function idOf(schema: z.ZodType, requested: ReadonlyMap<z.ZodType, Schema>): string {
  for (const [name, other] of namedSchemas()) if (other === schema) return name
  return `:${[...requested.keys()].indexOf(schema)}`
}

function* convertAll(requested: ReadonlyMap<z.ZodType, Schema>, io: Direction): Steps<Converted> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of namedSchemas()) registry.add(schema, { id })
  for (const schema of requested.keys())
    if (!registry.has(schema)) registry.add(schema, { id: idOf(schema, requested) })
  const { schemas } = z.toJSONSchema(registry, {
    uri: id => place + id,
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  })
  yield
  const converted = new Map(
    Object.entries(schemas).map(([id, { $schema: _schema, $id: _id, ...schema }]) => [
      id,
      simplify(schema, io) as Schema,
    ]),
  )
  yield
  return converted
}

/** Drops what says nothing, that alternatives exclude each other (optional properties cannot tell them apart), and that answers have no other properties: new releases may add some. */
function simplify(node: unknown, io: Direction): unknown {
  if (Array.isArray(node)) return node.map(one => simplify(one, io))
  if (typeof node !== 'object' || node === null) return node
  const hasKeyword = (keyword: string, value: unknown) =>
    !(keyword === 'type' && 'const' in node && typeof value === 'string') &&
    !(keyword === 'pattern' && 'format' in node) &&
    !(
      keyword === 'additionalProperties' &&
      ((isEmpty(value) && !('properties' in node)) || (value === false && io === 'output'))
    ) &&
    !(Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) &&
    !(keyword === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}')
  return Object.fromEntries(
    Object.entries(node).flatMap(([keyword, value]) =>
      hasKeyword(keyword, value) ? [[keyword === 'oneOf' ? 'anyOf' : keyword, simplify(value, io)]] : [],
    ),
  )
}

const isEmpty = (value: unknown) => JSON.stringify(value) === '{}'

/** Names the components that a schema refers to; schemas without a name are written in place. */
function rewrite(node: Schema, from: Converted, add: (name: string) => string): Schema {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk)
    if (typeof part !== 'object' || part === null) return part
    const { $ref, ...rest } = part as Schema
    if (typeof $ref !== 'string' || !$ref.startsWith(place))
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, walk(value)]))
    const name = $ref.slice(place.length)
    return name.startsWith(':')
      ? { ...(walk(from.get(name)) as Schema), ...rest }
      : { $ref: place + add(name), ...rest }
  }
  return walk(node) as Schema
}
