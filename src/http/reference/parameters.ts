import { z } from 'zod'
import type { AnyEndpoint } from '../endpoint.ts'
import type { createSchemas, Schema } from './schemas.ts'

interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  schema: Schema
  description?: string
}

/** What is in the path, by group and name, or by name. */
const inPath: Record<string, string> = {
  'pages.id': 'The id of the page with `+` for its slashes (`notes+storm`), or `@` and its uuid.',
  'users.id': 'The id of the account; `account` for your own.',
  'languages.code': 'The code of the language: `en`.',
  'roles.name': 'The name of the role: `editor`.',
  'translations.id': 'The code of the interface language: `de`, `pt_BR`.',
  'system.id': 'The id of the webhook.',
  'system.name': 'The name of the extension.',
  filename: 'The name of the file: `storm.jpg`.',
  version: 'The id of the version, from the list of versions.',
  name: 'The name of the section or field in the blueprint.',
  delivery: 'The id of the delivery, from the list of deliveries.',
  session: 'The id of the session, from the list of sessions.',
  token: 'The id of the token, from the list of tokens.',
  passkey: 'The id of the passkey, from the list of passkeys.',
  id: 'The id of the entry, from the list.',
}

export function parametersOf(
  { path, selects, query = selects }: AnyEndpoint,
  group: string,
  schemaOf: ReturnType<typeof createSchemas>['schemaOf'],
): Parameter[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const description = (name: string) => inPath[`${group}.${name}`] ?? inPath[name]
  return [
    ...names.map(name => ({
      name,
      in: 'path' as const,
      required: true,
      schema: { type: 'string' },
      ...(description(name) !== undefined && { description: description(name)! }),
    })),
    ...Object.entries(query instanceof z.ZodObject ? query.shape : {})
      .filter(([name]) => name !== 'pretty') // accepted everywhere: documented once
      .map(([name, schema]) => ({
        name,
        in: 'query' as const,
        ...(!schema.safeParse(undefined).success && { required: true }),
        schema: schemaOf(schema, 'input'),
      })),
  ]
}

/**
 * Replaces parameters that several operations have by references, and returns them by name. A parameter that differs
 * between operations keeps its place, except for the most frequent one.
 */
export function shareParameters(operations: { parameters?: object[] }[]): Record<string, Parameter> {
  const uses = new Map<string, number>()
  for (const { parameters = [] } of operations)
    for (const [index, parameter] of (parameters as Parameter[]).entries()) {
      const { description, ...schema } = parameter.schema as Schema & { description?: string }
      parameters[index] = { ...parameter, ...(description !== undefined && { description }), schema }
      const text = JSON.stringify(parameters[index])
      uses.set(text, (uses.get(text) ?? 0) + 1)
    }
  const shared = new Map<string, string>() // JSON → name
  for (const [text, count] of [...uses].toSorted(([, a], [, b]) => b - a)) {
    const { name, in: place } = JSON.parse(text) as Parameter
    const free = [name, `${place}.${name}`].find(one => ![...shared.values()].includes(one))
    if (count > 1 && free !== undefined) shared.set(text, free)
  }
  for (const { parameters = [] } of operations)
    for (const [index, parameter] of parameters.entries()) {
      const name = shared.get(JSON.stringify(parameter))
      if (name !== undefined) parameters[index] = { $ref: `#/components/parameters/${name}` }
    }
  return Object.fromEntries(
    [...shared].map(([text, name]): [string, Parameter] => [name, JSON.parse(text) as Parameter]).toSorted(byName),
  )
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

/** Parameters that all operations of a path have belong to the path. */
export function withCommonParameters<Operation extends { parameters?: object[] }>(
  methods: Readonly<Record<string, Operation>>,
): Record<string, Operation | object[]> {
  const [first, ...others] = Object.values(methods).map(({ parameters = [] }) =>
    parameters.map(one => JSON.stringify(one)),
  )
  const common = new Set(first?.filter(text => others.length > 0 && others.every(texts => texts.includes(text))))
  if (common.size === 0) return { ...methods }
  return {
    parameters: [...common].map(text => JSON.parse(text) as object),
    ...Object.fromEntries(
      Object.entries(methods).map(([method, { parameters = [], ...operation }]) => {
        const own = parameters.filter(one => !common.has(JSON.stringify(one)))
        return [method, { ...operation, ...(own.length > 0 && { parameters: own }) } as unknown as Operation]
      }),
    ),
  }
}
