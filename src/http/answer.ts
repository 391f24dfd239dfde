import { z } from 'zod'
import { nameOf, namedSchema } from '../platform/lib/schema-names.ts'

/** The media type of every response of the API. */
export const jsonContentType = 'application/json; charset=utf-8'

/** How a handler's value is sent: the JSON schema for each status, and the function that wraps the value. */
export interface Answer<Value, Json> {
  schemas: Readonly<Record<number, z.ZodType>>
  wrap: (value: Value) => Wrapped<Json>
  /** For answers with models: their schema, and the view that they have without a selection. */
  answerViews?: { schema: z.ZodType; fallback: string }
}

/** Exists only as a type, for the client: the views of the model, and the one that it has without a selection. */
export interface AnswerViews<Views, Fallback> {
  readonly answerViews?: { views: Views; fallback: Fallback }
}

/** Declaration files have only the names of the properties, not the whole schema once more. */
export type ViewsIn<Schema> = Schema extends { readonly views?: infer Views } ? Views : unknown

export interface Wrapped<Json> {
  status: number
  json: Json
}

/** A custom answer, where none of those below fits. */
export function answer<Value, Schema extends z.ZodType>(
  schema: Schema,
  wrap: (value: Value) => z.output<Schema>,
): Answer<Value, z.output<Schema>> {
  return { schemas: { 200: schema }, wrap: value => ({ status: 200, json: wrap(value) }) }
}

/** The same answer; the client knows which properties of the model it has without a selection. */
export function withViews<Value, Json, Schema extends z.ZodType, Fallback extends string>(
  { schemas, wrap }: Answer<Value, Json>,
  schema: Schema,
  fallback: Fallback,
): Answer<Value, Json & AnswerViews<ViewsIn<Schema>, Fallback>> {
  return {
    schemas,
    wrap: wrap as (value: Value) => Wrapped<Json & AnswerViews<ViewsIn<Schema>, Fallback>>,
    answerViews: { schema, fallback },
  }
}

const ok = { code: z.literal(200), status: z.literal('ok') }

/**
 * Endpoints with the same model share a schema, and so the compiled serialiser, which takes up to 200 ms and some MB to
 * create.
 */
function shared(kind: string, wrap: (item: z.ZodType) => z.ZodType): (item: z.ZodType) => z.ZodType {
  const cache = new WeakMap<z.ZodType, z.ZodType>()
  return item => {
    let schema = cache.get(item)
    if (!schema) {
      const name = nameOf(item)
      schema = name === undefined ? wrap(item) : namedSchema(name + kind, wrap(item))
      cache.set(item, schema)
    }
    return schema
  }
}

const modelSchema = shared('Model', data =>
  z.object({ code: ok.code, data, status: ok.status, type: z.literal('model') }),
)

export interface ModelJson<Shown> {
  code: 200
  data: Shown
  status: 'ok'
  type: 'model'
}

/** One model. The return type is explicit: TypeScript cannot write the inferred type to a declaration file. */
export function model<Schema extends z.ZodType>(
  data: Schema,
): Answer<z.output<Schema>, ModelJson<z.output<Schema>> & AnswerViews<ViewsIn<Schema>, 'default'>> {
  return withViews<z.output<Schema>, ModelJson<z.output<Schema>>, Schema, 'default'>(
    {
      schemas: { 200: modelSchema(data) },
      wrap: value => ({ status: 200, json: { code: 200, data: value, status: 'ok', type: 'model' } }),
    },
    data,
    'default',
  )
}

export const pagination = namedSchema(
  'Pagination',
  z.object({
    page: z.int(),
    total: z.int(),
    offset: z.int(),
    limit: z.int(),
    next: z
      .int()
      .optional()
      .describe(
        'Only if the page has ended early, at about 8 MB: send it as `next` to go on. `limit` is then the number of entries given.',
      ),
  }),
)

export interface Paginated<Item> {
  data: Item[]
  pagination: z.output<typeof pagination>
}

const collectionSchema = shared('Collection', item =>
  z.object({
    code: ok.code,
    data: z.array(item),
    pagination,
    status: ok.status,
    type: z.literal('collection'),
  }),
)

export interface CollectionJson<Item> extends Paginated<Item> {
  code: 200
  status: 'ok'
  type: 'collection'
}

/** A page of a list. `fallback` is the view of its models without a selection, as in the handler. */
export function collection<Schema extends z.ZodType, const Fallback extends string = 'default'>(
  item: Schema,
  fallback: Fallback = 'default' as Fallback,
): Answer<Paginated<z.output<Schema>>, CollectionJson<z.output<Schema>> & AnswerViews<ViewsIn<Schema>, Fallback>> {
  return withViews<Paginated<z.output<Schema>>, CollectionJson<z.output<Schema>>, Schema, Fallback>(
    {
      schemas: { 200: collectionSchema(item) },
      wrap: value => ({ status: 200, json: { code: 200, ...value, status: 'ok', type: 'collection' } }),
    },
    item,
    fallback,
  )
}

const doneSchema = namedSchema('Done', z.object({ status: ok.status, message: z.literal('ok'), code: ok.code }))

/** Success without data. */
export const done = answer<void, typeof doneSchema>(
  doneSchema,
  () => ({ status: 'ok', message: 'ok', code: 200 }) as const,
)
