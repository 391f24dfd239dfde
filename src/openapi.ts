import { z } from 'zod'
import type { Config } from './platform/config.ts'
import { type ErrorKey, errors } from './platform/errors.ts'
import { isStrict } from './http/authenticate.ts'
import { type AnyEndpoint, type Api, type Form, list } from './http/endpoint.ts'
import { releaseLine } from './platform/release.ts'
import { cookieName } from './access/session/cookies.ts'

/** The groups of the reference, in its order. */
const groups: [key: string, name: string, description: string][] = [
  ['auth', 'Authentication', 'Who is calling: sign in, sign out, and see who you are.'],
  ['languages', 'Languages', 'The languages of the content.'],
  ['pages', 'Pages', 'The tree of pages.'],
  ['roles', 'Roles', 'What people may do.'],
  ['site', 'Site', 'The site itself and its first level of pages.'],
  ['system', 'System', 'The state of the installation.'],
  ['translations', 'Translations', 'The words of the interface.'],
  ['users', 'Users', 'Accounts.'],
]

/** The OpenAPI 3.1 document of an API. */
export function openapi(api: Api, config: Config): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, endpoint] of list(api)) {
    const path = `/api${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quoin',
      version: releaseLine,
      summary: 'A content management system for TypeScript teams.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.url }],
    tags: groups.map(([, name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieName(config, 'session'), description: 'Set by sign-in.' },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF',
          description: 'From sign-in or GET /api/auth; on unsafe requests with a session.',
        },
        token: { type: 'http', scheme: 'bearer', description: 'An API token.' },
      },
      schemas: { Error: jsonSchema(errorSchema), Problem: jsonSchema(problemSchema) },
    },
  }
}

function operation(name: string, endpoint: AnyEndpoint): object {
  const group = name.split('.')[0]!
  const unsafe = endpoint.method !== 'GET'
  const open = endpoint.access === 'public'
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [groups.find(([key]) => key === group)?.[1] ?? group],
    'x-access': endpoint.access,
    security: open ? [{}] : [unsafe ? { session: [], csrf: [] } : { session: [] }, { token: [] }],
    ...parameters(endpoint),
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.body.safeParse(undefined).success,
        content: bodyOf(endpoint, jsonSchema(endpoint.body, 'input')),
      },
    }),
    ...(endpoint.upload && {
      requestBody: { required: true, content: { 'multipart/form-data': form(endpoint.upload) } },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(endpoint.answer.schemas).map(([status, schema]) => [
          status,
          {
            description: descriptions[status] ?? 'OK',
            content: {
              'application/json': { schema: jsonSchema(schema) },
              ...(endpoint.stream && { 'text/event-stream': { schema: { type: 'string' } } }),
            },
          },
        ]),
      ),
      default: {
        description: 'An error. Decide by `key`.',
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/Error' } },
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    },
  }
}

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
}

/** JSON; and also a form, if the endpoint accepts forms and all required fields can be sent as text. */
function bodyOf(endpoint: AnyEndpoint, schema: Schema): object {
  const json = { 'application/json': { schema } }
  if (isStrict(endpoint) || schema.type !== 'object') return json
  const isText = ({ type }: Schema) => !['boolean', 'integer', 'number', 'null'].includes(type ?? '')
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([, one]) => isText(one)))
  if (schema.required?.some(name => !(name in properties))) return json
  return { ...json, 'application/x-www-form-urlencoded': { schema: { ...schema, properties } } }
}

/** File fields may have any name; only one is documented. */
function form({ several, fields = [] }: Form): object {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  const properties = Object.fromEntries(fields.map(name => [name, { type: 'string' }]))
  return {
    schema: {
      type: 'object',
      properties: { file, ...properties },
      ...(several && { additionalProperties: file }),
      required: ['file'],
    },
  }
}

const descriptions: Record<string, string> = { 200: 'It worked.', 202: 'Another step is needed.' }

function parameters({ path, selects, query = selects }: AnyEndpoint): object {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(query instanceof z.ZodObject ? query.shape : {})
  const all = [
    ...inPath,
    ...inQuery.map(([name, schema]) => ({
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      schema: jsonSchema(schema, 'input'),
    })),
  ]
  return all.length > 0 ? { parameters: all } : {}
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  }) as Record<string, unknown>
  return rest
}

const keys = (Object.keys(errors) as ErrorKey[]).map(key => `error.${key}`)
const key = z.enum(keys as [string, ...string[]])
const errorSchema = z.object({
  status: z.literal('error'),
  message: z.string(),
  code: z.int(),
  key,
  details: z.record(z.string(), z.unknown()),
})
const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  key,
  details: z.record(z.string(), z.unknown()),
})
