import type { Schema } from './schemas.ts'

/** An OpenAPI document, as far as the reference shows it. */
export interface OpenApiDocument {
  info: { version: string; description?: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, unknown>>
  components: Record<string, Record<string, object>>
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Media {
  schema: Schema
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  method: string
  path: string
  'x-access': string
  'x-fresh'?: true | 'strong'
  'x-setup'?: true
  'x-errors'?: string[]
  parameters: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
}

/** As in the document: parameters may be absent. */
type WrittenOperation = Omit<Operation, 'parameters'> & { parameters?: Parameter[] }

/** Follows a reference to a component. */
export function resolve<Value extends object>({ components }: OpenApiDocument, value: Value): Value {
  const { $ref } = value as { $ref?: string }
  if ($ref === undefined) return value
  const [, , kind = '', name = ''] = $ref.split('/')
  return components[kind]![name] as Value
}

/** All operations of a document, with references to parameters, bodies and responses replaced by what they stand for. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, { parameters: common = [], ...methods }]) =>
    Object.entries(methods as Record<string, WrittenOperation>).map(([method, operation]) => {
      const { requestBody, parameters = [], responses } = operation
      return {
        ...operation,
        method: method.toUpperCase(),
        path,
        parameters: [...(common as Parameter[]), ...parameters].map(one => resolve(document, one)),
        ...(requestBody && { requestBody: resolve(document, requestBody) }),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, answer]) => [status, resolve(document, answer)]),
        ),
      }
    }),
  )
}
