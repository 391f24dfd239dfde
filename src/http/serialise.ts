import { z } from 'zod'

type JsonSchema = { [keyword: string]: unknown }

/** The JSON schema that Fastify compiles to a serialiser: only declared fields can leave the server. */
export function serialiserSchema(schema: z.ZodType): JsonSchema {
  return shareEqualParts(simplify(z.toJSONSchema(schema, { target: 'draft-7', io: 'output' }))) as JsonSchema
}

/**
 * Makes equal parts the same object, for each of which one function is generated: a page has files, which have pages as
 * parents, and the generated code of its serialiser would be 2 MB instead of 0.2 MB.
 */
function shareEqualParts(schema: unknown): unknown {
  const parts = new Map<string, unknown>()
  function share(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node
    const copy = Array.isArray(node)
      ? node.map(share)
      : Object.fromEntries(Object.entries(node).map(([key, value]) => [key, share(value)]))
    const text = JSON.stringify(copy)
    const shared = parts.get(text) ?? copy
    parts.set(text, shared)
    return shared
  }
  return share(schema)
}

/**
 * Replaces `anyOf` where possible: Fastify checks it for every value with a validator that takes a second to compile,
 * while `nullable` and a list of scalar types are plain comparisons. Also drops `$schema`.
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
  // Undeclared fields are left out anyway; in a union, the keyword would make a value with such a field match no
  // branch.
  if (rest['additionalProperties'] === false) delete rest['additionalProperties']
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, simplify(value)]))
}

/** Merges object schemas whose common properties are identical; properties that some lack become optional. */
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
