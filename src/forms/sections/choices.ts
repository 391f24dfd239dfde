import { z } from 'zod'
import { type Field, type Fields, builtInTypeOf, type NestedFields } from '../../blueprints/fields/field.ts'
import { isMap } from '../../blueprints/fields/stored.ts'
import { fail } from '../../platform/errors.ts'
import { answer, pagination } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import type { RequestContext } from '../../http/context.ts'
import { pagingQuery } from '../../http/paging.ts'
import { languageQuery } from '../../http/query-schemas.ts'
import { type Choices, choicesOf } from '../pickers/choices.ts'
import { isPicker } from '../../blueprints/fields/references.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'
import type { SectionContext } from './context.ts'

const choices = answer(
  namedSchema(
    'Choices',
    z.object({
      data: z.array(z.record(z.string(), z.unknown())),
      pagination: pagination.omit({ offset: true }),
      looked: z.int().optional(),
      model: z
        .object({ id: z.string().nullable(), parent: z.string().nullable(), title: z.string() })
        .nullable()
        .optional(),
    }),
  ),
  (value: Choices) => value as never,
)

const query = z.strictObject({
  ...languageQuery,
  page: pagingQuery.page,
  limit: pagingQuery.limit.default(20),
  next: pagingQuery.next,
  search: z.string().max(1000).default(''),
  parent: z.string().max(2000).optional(),
})

interface Request {
  ctx: RequestContext
  params: { id: string; filename: string }
}

/** Endpoint for the choices of a field; mounted for pages, files, accounts and the site. */
export const fieldEndpoint = (find: (request: Request) => Promise<SectionContext>) => ({
  field: endpoint({
    method: 'GET',
    path: '/fields/:name',
    summary: 'List what can be chosen in a field',
    description:
      'The pages, files or accounts that a field of the form offers, as far as the caller may see them; `search` is a search term. A field in rows or blocks is named by its path: `rows+author`.',
    access: 'session',
    on: request => find(request as never),
    query,
    answer: choices,
    handler: ({ target: { ctx, subject, blueprint }, params: { name }, query: { search, ...paging } }) => {
      const field = fieldAt(blueprint.fields, name.toLowerCase().split('+'))
      if (!field) throw fail('field.notFound', { name: name.slice(0, 100) })
      return choicesOf(ctx, subject, field, { ...paging, searchTerm: search.trim() })
    },
  }),
})

/**
 * Finds a field by path: `gallery`; `rows+author` in a structure or object; `text+image+file` in a block type;
 * `page+attrs+cover` in the settings of a layout row. Undefined for fields without choices.
 */
function fieldAt(fields: Fields, [name, ...rest]: readonly string[]): Field | undefined {
  const field = fields.get(name ?? '')
  if (!field) return undefined
  const [next, ...further] = rest
  if (next === undefined) return isPicker(field) ? field : pickerIn(field)
  const { fields: inner, fieldsets, settings } = field as Partial<NestedFields>
  if (field.type === 'blocks' || field.type === 'layout') {
    const set = field.type === 'layout' && next === 'attrs' ? settings : fieldsets?.get(next)
    return set && fieldAt(set.fields, further)
  }
  return inner && fieldAt(inner, rest)
}

/** A textarea lets users insert files: the results of its `files` query, or the files of the model. */
function pickerIn(field: Field): Field | undefined {
  if (builtInTypeOf(field) !== 'textarea') return undefined
  const { files } = field
  const source = isMap(files) ? files['query'] : files
  return { ...field, type: 'files', layout: 'list', query: typeof source === 'string' ? source : undefined }
}
