import { z } from 'zod'
import { expectedRevision } from '../../../content/revision.ts'
import { collection, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { showPage } from '../../../http/list.ts'
import { pagingQuery } from '../../../http/paging.ts'
import { selectionQuery, timestampSchema } from '../../../http/query-schemas.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'
import { anyFileView } from '../all-files/view.ts'
import { copyFiles, deleteFiles, listLibrary, moveFiles } from './library.ts'
import { editBody, editFile, fileVersions, findToEdit, listVersions } from './versions.ts'
import { orders } from './queries.ts'

const flag = z.enum(['true', 'false']).transform(text => text === 'true')

const files = z
  .array(z.string().regex(/^file:\/\/[\w-]{1,64}$/))
  .min(1)
  .max(200)
const parent = z
  .string()
  .min(1)
  .max(2000)
  .nullable()
  .describe('The id of a page or `page://…`, `user://…`; null for the site.')

/** The file or its copy at its new place. */
const place = namedSchema('FilePlace', z.object({ id: z.string(), link: z.string(), uuid: z.string() }))

const results = namedSchema(
  'FileResults',
  z.array(
    z.object({
      /** As it was sent. */
      uuid: z.string(),
      file: place.nullable(),
      error: z.object({ key: z.string(), message: z.string() }).nullable(),
    }),
  ),
)

/** All files of pages, of the site and of accounts. */
export const library = {
  list: endpoint({
    method: 'GET',
    path: '/site/library',
    summary: 'List the files of all pages, of the site and of accounts',
    description:
      'The files that the caller may list. `used`: whether any content refers to it; `described`: whether an image has a text in the field `alt` of its blueprint.',
    access: 'session',
    cacheable: true,
    query: z.strictObject({
      ...selectionQuery,
      ...pagingQuery,
      q: z.string().max(1000).optional(),
      type: z.enum(['image', 'video', 'audio', 'document', 'archive', 'code', 'other']).optional(),
      parent: z.string().max(2000).optional().describe('The id of a page, `site://` or `user://…`.'),
      below: flag.optional().describe('With the files of the pages below `parent`.'),
      used: flag.optional(),
      described: flag.optional(),
      from: timestampSchema.optional(),
      until: timestampSchema.optional(),
      hash: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional()
        .describe('The SHA-256 hash of the bytes.'),
      sortBy: z.enum(orders).default('modified desc'),
    }),
    answer: collection(anyFileView.schema, 'compact'),
    handler: async ({ ctx, query }) => showPage(ctx, anyFileView, await listLibrary(ctx, query), query, 'compact'),
  }),

  move: endpoint({
    method: 'POST',
    path: '/site/library/move',
    summary: 'Move files to another page, the site or an account',
    description:
      'Each file needs `files.delete` and `files.create`; references to it follow, and a taken name gets a number. Answers the result of each file.',
    access: 'session',
    body: z.strictObject({ files, parent }),
    answer: model(results),
    handler: ({ ctx, body }) => moveFiles(ctx, body.files, body.parent),
  }),

  copy: endpoint({
    method: 'POST',
    path: '/site/library/copy',
    summary: 'Copy files to another page, the site or an account',
    description:
      'Copies them with their content; each needs `files.create`, and a taken name gets a number. Answers the result of each file.',
    access: 'session',
    body: z.strictObject({ files, parent }),
    answer: model(results),
    handler: ({ ctx, body }) => copyFiles(ctx, body.files, body.parent),
  }),

  delete: endpoint({
    method: 'POST',
    path: '/site/library/delete',
    summary: 'Delete files of any page, the site or an account',
    description: 'Moves them to the trash; each needs `files.delete`. Answers the result of each file.',
    access: 'session',
    body: z.strictObject({ files }),
    answer: model(results),
    handler: ({ ctx, body }) => deleteFiles(ctx, body.files),
  }),

  versions: endpoint({
    method: 'GET',
    path: '/site/library/:file/versions',
    summary: 'List the versions of a file, newest first',
    description: 'Bytes that it has and had, once they were replaced; 1 is the original.',
    access: 'files.replace',
    on: ({ ctx, params }) => findToEdit(ctx, params.file),
    answer: model(fileVersions),
    handler: ({ ctx, target }) => listVersions(ctx, target),
  }),

  edit: endpoint({
    method: 'POST',
    path: '/site/library/:file/versions',
    summary: 'Crop, mirror or turn an image, or go back to a version',
    description:
      'Crops the upright image (the present one, or `version`), mirrors it left to right and turns it clockwise; the former bytes stay as a version. `copy` makes a new file.',
    access: 'files.replace',
    on: ({ ctx, params }) => findToEdit(ctx, params.file),
    body: editBody,
    answer: model(place),
    handler: ({ ctx, exchange, target, body: { revision, ...edit } }) =>
      editFile(ctx, target, edit, expectedRevision(exchange, revision)),
  }),
}
