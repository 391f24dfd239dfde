import { z } from 'zod'
import { isPlain, quoted } from './print.ts'

type Schema = z.core.JSONSchema.BaseSchema

/** The TypeScript type of a schema: what it accepts (`input`) or what it gives (`output`), as JSON. */
export function typeOfSchema(schema: z.ZodType, io: 'input' | 'output'): string {
  return print(z.toJSONSchema(schema, { io, unrepresentable: 'any', cycles: 'throw' }))
}

/** Whether nothing must be given: an object without required properties. */
export function isOptional(schema: z.ZodType): boolean {
  const { required = [], type } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', cycles: 'throw' })
  return type === 'object' && required.length === 0
}

const simple: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  integer: 'number',
  null: 'null',
  number: 'number',
  string: 'string',
}

function print(schema: z.core.JSONSchema._JSONSchema): string {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never'
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal))
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return union(variants.map(print))
  if (schema.allOf) return schema.allOf.map(part => `(${print(part)})`).join(' & ')
  const { type } = schema
  if (Array.isArray(type)) return union(type.map(one => print({ ...schema, type: one })))
  switch (type) {
    case 'array':
      return printList(schema)
    case 'object':
      return printObject(schema)
    case undefined:
      return 'unknown'
    default:
      return simple[type] ?? 'unknown'
  }
}

const literal = (value: unknown) => (typeof value === 'string' ? quoted(value) : JSON.stringify(value))

const union = (types: readonly string[]) => {
  const all = [...new Set(types)]
  return all.includes('unknown') ? 'unknown' : all.join(' | ')
}

function printList({ items, prefixItems }: Schema): string {
  if (prefixItems) return `[${prefixItems.map(print).join(', ')}]`
  if (items === undefined || Array.isArray(items)) return 'unknown[]'
  const item = print(items)
  return /[|&]/.test(item) ? `(${item})[]` : `${item}[]`
}

function printObject({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(
    ([name, inner]) => `${isPlain(name) ? name : quoted(name)}${required.includes(name) ? '' : '?'}: ${print(inner)}`,
  )
  if (members.length > 0) return `{ ${members.join('; ')} }`
  const values = additionalProperties === undefined || additionalProperties === false ? undefined : additionalProperties
  return `Record<string, ${values === undefined ? 'never' : print(values)}>`
}
