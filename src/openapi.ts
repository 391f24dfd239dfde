import { z } from 'zod'
import type { Config } from './platform/config.ts'
import { type ErrorKey, errors } from './platform/errors.ts'
import { type AnyEndpoint, type Api, type UploadForm, listEndpoints } from './http/endpoint.ts'
import { commonErrors, ownErrors, permissionError } from './http/reference/error-keys.ts'
import { exampleOf } from './http/reference/examples.ts'
import { extendSchemas } from './http/reference/extend.ts'
import { parametersOf, shareParameters, withCommonParameters } from './http/reference/parameters.ts'
import { componentName, share } from './http/reference/share.ts'
import { createSchemas, type Schema } from './http/reference/schemas.ts'
import { namedSchema } from './platform/lib/schema-names.ts'
import { runToEnd } from './platform/lib/steps.ts'
import type { Steps } from './platform/lib/yield.ts'
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

type SchemaOf = ReturnType<typeof createSchemas>['schemaOf']

const overview = [
  'Sign in with `POST /api/auth/login` and send the cookie and `X-CSRF`, or send an API token as `Authorization: Bearer …`.',
  'Bodies are JSON. Outside of Authentication and of public operations, a form (`application/x-www-form-urlencoded`) is accepted, too, if all values are texts. `pretty=true` indents any answer.',
  'Each operation says who may call it. `x-access` is `public` (anyone, without signing in), `session` (any account, within its permissions), `reader` (any account, and anonymous clients if the site is public) or the permission that is needed, such as `users.update`; for the own account that is `user.update`. With `x-fresh` the sign-in must be recent, if it is `strong` with the second factor, if there is one. `x-setup`: also for accounts that must first set a password or second factor.',
  'Errors have a `key`, by which programs decide; `message` is a sentence in the language of the caller. With `Accept: application/problem+json` they have the form of RFC 9457.',
  'Releases are numbered; paths have no version. New releases of a line add properties and operations, and remove none.',
].join('\n\n')

type Addresses = Pick<Config, 'url' | 'base' | 'secure'>

/** An extension of the site: its endpoints are a group after the eight. */
interface Tagged {
  name: string
}

const tagOf = (extension: string) => `Extension: ${extension}`

/** The OpenAPI 3.1 document of an API. */
export const openapi = (api: Api, config: Addresses): object => runToEnd(openapiSteps(api, config))

/** Creates the document in steps: it takes some tenths of a second. */
export function* openapiSteps(api: Api, config: Addresses, extensions: readonly Tagged[] = []): Steps<object> {
  const { schemaOf, convert } = createSchemas()
  const paths: Record<string, Record<string, Operation>> = {}
  const error = {
    description: `An error. Decide by \`key\`. Every operation may answer: ${commonErrors.map(one => `\`error.${one}\``).join(', ')}. Without the permission that an operation needs (\`x-access\`), such as \`pages.update\`, it is \`error.page.update.permission\`, and \`error.auth.fresh\` if the sign-in is too old. Further keys are in \`x-errors\` of the operation, without \`error.\`.`,
    content: {
      'application/json': { schema: schemaOf(errorSchema) },
      'application/problem+json': { schema: schemaOf(problemSchema) },
    },
  }
  for (const [name, endpoint] of listEndpoints(api)) {
    const path = `/api${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint, schemaOf) }
  }
  yield
  const schemas = yield* convert()
  extendSchemas(schemas)
  yield
  const operations = Object.values(paths).flatMap(methods => Object.values(methods))
  shareBodies(operations, schemas)
  shareDescriptions(operations)
  shareExamples(operations)
  yield
  const parameters = shareParameters(operations)
  yield
  const requestBodies = share(
    'requestBodies',
    operations.flatMap(one => {
      const { operationId, requestBody: value } = one
      if (!value) return []
      return {
        value,
        name: componentName(operationId),
        replace: reference => Object.assign(one, { requestBody: reference }),
      }
    }),
  )
  const responses = share(
    'responses',
    operations.flatMap(one =>
      Object.entries(one.responses).map(([status, value]) => ({
        value,
        name: componentName(one.operationId),
        replace: reference => Object.assign(one.responses, { [status]: reference }),
      })),
    ),
  )
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quoin',
      version: releaseLine,
      summary: 'A content management system for TypeScript teams.',
      description: overview,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.url }],
    security: [{ session: [], csrf: [] }, { token: [] }],
    tags: [
      ...groups.map(([, name, description]) => ({ name, description })),
      ...extensions.map(({ name }) => ({ name: tagOf(name), description: `Endpoints of the extension ${name}.` })),
    ],
    paths: Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path, withCommonParameters(methods)])),
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
      parameters,
      requestBodies,
      responses: { Error: error, ...responses },
      schemas,
    },
  }
}

interface Media {
  schema: Schema
  example?: unknown
}

interface Operation {
  operationId: string
  description?: string
  parameters?: object[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>
  [property: string]: unknown
}

function operation(name: string, endpoint: AnyEndpoint, schemaOf: SchemaOf): Operation {
  const [group = '', extension = ''] = name.split('.')
  const unsafe = endpoint.method !== 'GET'
  const open = endpoint.access === 'public'
  const parameters = parametersOf(endpoint, group, schemaOf)
  const { request, answer } = exampleOf(name) ?? {}
  const denied = permissionError(endpoint)
  const keys = ownErrors(name).filter(one => one !== denied)
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: [endpoint.description].flat().join('\n\n') }),
    tags: [group === 'extensions' ? tagOf(extension) : (groups.find(([key]) => key === group)?.[1] ?? group)],
    'x-access': endpoint.access,
    ...(endpoint.fresh !== undefined && { 'x-fresh': endpoint.fresh }),
    ...(endpoint.fresh !== undefined && endpoint.duringForcedSetup && { 'x-setup': true }),
    ...(open && { security: [{}] }),
    ...(!open && !unsafe && { security: [{ session: [] }, { token: [] }] }),
    ...(keys.length > 0 && { 'x-errors': keys }),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        ...(!endpoint.body.safeParse(undefined).success && { required: true }),
        content: {
          'application/json': {
            schema: schemaOf(endpoint.body, 'input'),
            ...(request?.body !== undefined && { example: request.body }),
          },
        },
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
              'application/json': {
                schema: schemaOf(schema),
                ...(String(answer?.status) === status && { example: answer!.body }),
              },
              ...(endpoint.stream && { 'text/event-stream': { schema: { type: 'string' } } }),
            },
          },
        ]),
      ),
      '4XX': { $ref: '#/components/responses/Error' },
    },
  }
}

const depthOf = ({ operationId }: Operation) => operationId.split('.').length

/** Endpoints that are declared once for pages, the site, accounts and files are described once, at the shortest name. */
function shareDescriptions(operations: readonly Operation[]): void {
  const described = operations.filter(({ description }) => description !== undefined)
  for (const same of Map.groupBy(described, ({ description }) => description).values()) {
    const [first, ...others] = same.toSorted((a, b) => depthOf(a) - depthOf(b))
    for (const other of others) other.description = `As \`${first!.operationId}\`.`
  }
}

/** Answers with the same named schema show one recorded example, so that they become one component. */
function shareExamples(operations: readonly Operation[]): void {
  const answers = operations
    .toSorted((a, b) => depthOf(a) - depthOf(b))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ content = {} }) => Object.values(content))
    .filter(({ schema }) => schema.$ref !== undefined)
  for (const same of Map.groupBy(answers, ({ schema }) => schema.$ref).values()) {
    const recorded = same.find(({ example }) => example !== undefined)
    if (recorded) for (const media of same) media.example = recorded.example
  }
}

/** Bodies that occur more than once become schemas with the name of their first operation: `PagesChangeTitleBody`. */
function shareBodies(operations: readonly Operation[], schemas: Record<string, Schema>): void {
  const bodies = operations.flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).map(media => ({ operationId, media })),
  )
  const known = new Map<string, string>()
  const counts = Map.groupBy(bodies, ({ media }) => JSON.stringify(media.schema))
  for (const [text, same] of counts) {
    const [{ operationId }] = same as [(typeof bodies)[number]]
    if (same.length < 2 || text.length < 100) continue
    known.set(text, `${componentName(operationId)}Body`)
  }
  for (const { media } of bodies) {
    const text = JSON.stringify(media.schema)
    const name = known.get(text)
    if (name === undefined) continue
    schemas[name] = JSON.parse(text) as Schema
    media.schema = { $ref: `#/components/schemas/${name}` }
  }
}

/** File fields may have any name; only one is documented. */
function form({ multiple, fields = [] }: UploadForm): { schema: Schema } {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  const properties = Object.fromEntries(fields.map(name => [name, { type: 'string' }]))
  return {
    schema: {
      type: 'object',
      properties: { file, ...properties },
      ...(multiple && { additionalProperties: file }),
      required: ['file'],
    },
  }
}

const descriptions: Record<string, string> = { 200: 'OK', 202: 'Another step is needed.' }

const keys = (Object.keys(errors) as ErrorKey[]).map(key => `error.${key}`)
const key = namedSchema('ErrorKey', z.enum(keys as [string, ...string[]]))
const errorSchema = namedSchema(
  'Error',
  z.object({
    status: z.literal('error'),
    message: z.string(),
    code: z.int(),
    key,
    details: z.record(z.string(), z.unknown()),
  }),
)
const problemSchema = namedSchema(
  'Problem',
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    key,
    details: z.record(z.string(), z.unknown()),
  }),
)
