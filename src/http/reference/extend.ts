import type { Schema } from './schemas.ts'

/** Fewer common properties are not worth a reference. */
const minCommon = 8

/**
 * Object schemas that have all properties of another one refer to it, and add their own: files of pages, of the site and
 * of accounts differ only in what surrounds them.
 */
export function extendSchemas(schemas: Record<string, Schema>): void {
  const plain = Object.entries(schemas).filter(([, schema]) => isPlain(schema))
  const texts = new Map(
    plain.map(([name, { properties }]) => [
      name,
      new Set(Object.entries(properties!).map(([key, value]) => `${key}:${JSON.stringify(value)}`)),
    ]),
  )
  for (const [name, { properties = {} }] of plain) {
    const own = texts.get(name)!
    const bases = [...texts].filter(([base, all]) => base !== name && all.size < own.size && all.isSubsetOf(own))
    const [base, all] = bases.toSorted(([, a], [, b]) => b.size - a.size)[0] ?? []
    if (base === undefined || all!.size < minCommon) continue
    const inherited = schemas[base]!.properties ?? plain.find(([one]) => one === base)![1].properties!
    const rest = Object.fromEntries(Object.entries(properties).filter(([key]) => !(key in inherited)))
    schemas[name] = { allOf: [{ $ref: `#/components/schemas/${base}` }, { type: 'object', properties: rest }] }
  }
}

/** An object of optional properties, and nothing else: a view of a model. */
function isPlain({ type, properties, required, ...other }: Schema): boolean {
  return type === 'object' && properties !== undefined && required === undefined && Object.keys(other).length === 0
}
