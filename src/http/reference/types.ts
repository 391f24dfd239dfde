import { markup, type Html, prose } from './html.ts'
import type { Schema } from './schemas.ts'

const schemaPrefix = '#/components/schemas/'

/** A type in words, with links to named schemas: `text, at most 100 characters`. */
export function typeText(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schemaPrefix.length)
    return markup`<a href="#schema-${name}">${name}</a>`
  }
  const options = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (options) return markup`${options.map((one, index) => markup`${index > 0 && ' or '}${typeText(one)}`)}`
  if (schema['const'] !== undefined) return markup`<code>${JSON.stringify(schema['const'])}</code>`
  const values = schema['enum'] as unknown[] | undefined
  if (values)
    return markup`${values.slice(0, 12).map((one, index) => markup`${index > 0 && ', '}<code>${String(one)}</code>`)}${values.length > 12 && ' …'}`
  if (schema.type === 'array') return markup`list of ${typeText((schema['items'] ?? {}) as Schema)}`
  if (schema.type === 'object' || schema.properties) {
    const other = schema['additionalProperties'] as Schema | boolean | undefined
    return typeof other === 'object' && Object.keys(other).length > 0
      ? markup`map of ${typeText(other)}`
      : markup`object`
  }
  return markup`${typeNames[schema.type ?? ''] ?? 'any value'}${detailsOf(schema)}`
}

const typeNames: Record<string, string> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  null: 'null',
}

function detailsOf({ minLength, maxLength, minimum, maximum, format, default: defaultValue }: Schema): string {
  return [
    ...(format === 'date-time' ? ['a time'] : []),
    ...(minLength !== undefined && minLength > 1 ? [`at least ${minLength} characters`] : []),
    ...(maxLength !== undefined ? [`at most ${maxLength} characters`] : []),
    ...(minimum !== undefined && minimum > 0 ? [`from ${minimum}`] : []),
    ...(maximum !== undefined && maximum < 1e9 ? [`to ${maximum}`] : []),
    ...(defaultValue !== undefined && defaultValue !== '' ? [`${JSON.stringify(defaultValue)} if omitted`] : []),
  ]
    .map(one => `, ${one}`)
    .join('')
}

/** The properties of an object, one row each; nested objects in rows of their own. `isSent`: tells which are required. */
export function propertiesOf(schema: Schema, isSent = false, prefix = ''): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
    const isRequired = isSent && schema.required?.includes(name) === true
    const nested = one.type === 'array' ? ((one['items'] ?? {}) as Schema) : one
    const row = markup`<tr>
<th scope="row"><code>${prefix}${name}</code>${isRequired && markup` <span class="required">required</span>`}</th>
<td>${typeText(one)}${one.description !== undefined && markup`<p>${prose(one.description)}</p>`}</td>
</tr>
`
    return [row, ...(nested.properties ? propertiesOf(nested, isSent, `${prefix}${name}.`) : [])]
  })
}

/** The names of all schemas that a value refers to. */
export function referencesIn(value: unknown): string[] {
  return [...JSON.stringify(value ?? null).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name!,
  )
}
