import { z } from 'zod'

type JsonSchema = { [keyword: string]: unknown }

/** The schema in the form Fastify compiles to a function that writes JSON: only declared fields can leave the server. */
export function serialiserSchema(schema: z.ZodType): JsonSchema {
  return simplify(z.toJSONSchema(schema, { target: 'draft-7', io: 'output' })) as JsonSchema
}

/** `anyOf: [X, null]` would be tried out on every value; `nullable` is one comparison. `$schema` is of no use here. */
function simplify(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(simplify)
  if (typeof node !== 'object' || node === null) return node
  const { $schema: _, ...rest } = node as JsonSchema
  const options = rest['anyOf'] as JsonSchema[] | undefined
  if (options?.length === 2 && options[1]!['type'] === 'null') {
    return { ...(simplify(options[0]) as JsonSchema), nullable: true }
  }
  // Undeclared fields are left out anyway; as a demand it would make a value with one match no branch of a union.
  if (rest['additionalProperties'] === false) delete rest['additionalProperties']
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, simplify(value)]))
}
