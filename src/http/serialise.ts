import { z } from 'zod'

type JsonSchema = { [keyword: string]: unknown }

/** The schema in the form Fastify compiles to a function that writes JSON: only declared fields can leave the server. */
export function serialiserSchema(schema: z.ZodType): JsonSchema {
  return simplify(z.toJSONSchema(schema, { target: 'draft-7', io: 'output' })) as JsonSchema
}

/**
 * `anyOf` would be tried out on every value, by a validator that takes a second to make: `nullable`, and a list of types where
 * nothing is an object, are comparisons. `$schema` is of no use here.
 */
function simplify(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(simplify)
  if (typeof node !== 'object' || node === null) return node
  const { $schema: _, ...rest } = node as JsonSchema
  const options = rest['anyOf'] as JsonSchema[] | undefined
  if (options?.length === 2 && options[1]!['type'] === 'null') {
    return { ...(simplify(options[0]) as JsonSchema), nullable: true }
  }
  if (options?.every(option => isScalar(option['type']))) return { type: options.flatMap(option => option['type']) }
  const one = options && merged(options)
  if (one) return simplify(one)
  // Undeclared fields are left out anyway; as a demand it would make a value with one match no branch of a union.
  if (rest['additionalProperties'] === false) delete rest['additionalProperties']
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, simplify(value)]))
}

/** Objects that say the same of whatever they share are one object, of which some parts may be missing. */
function merged(options: JsonSchema[]): JsonSchema | undefined {
  const properties: JsonSchema = {}
  for (const option of options) {
    if (option['type'] !== 'object' || typeof option['additionalProperties'] === 'object') return undefined
    for (const [name, schema] of Object.entries(option['properties'] ?? {})) {
      if (name in properties && JSON.stringify(properties[name]) !== JSON.stringify(schema)) return undefined
      properties[name] = schema
    }
  }
  const required = options.map(option => (option['required'] ?? []) as string[])
  return {
    type: 'object',
    properties,
    required: required[0]!.filter(name => required.every(names => names.includes(name))),
  }
}

const isScalar = (type: unknown): boolean =>
  Array.isArray(type)
    ? type.every(isScalar)
    : ['boolean', 'integer', 'null', 'number', 'string'].includes(type as string)
