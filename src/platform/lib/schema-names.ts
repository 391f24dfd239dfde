import type { z } from 'zod'

const names = new WeakMap<z.ZodType, string>()
const schemas = new Map<string, z.ZodType>()

/** Gives a schema a name in the OpenAPI document: it is written there once, and everything that uses it refers to it. */
export function namedSchema<Schema extends z.ZodType>(name: string, schema: Schema): Schema {
  if (schemas.has(name)) throw new Error(`Two schemas are named ${name}.`)
  names.set(schema, name)
  schemas.set(name, schema)
  return schema
}

export const nameOf = (schema: z.ZodType): string | undefined => names.get(schema)

/** All schemas that have a name. */
export const namedSchemas = (): ReadonlyMap<string, z.ZodType> => schemas
