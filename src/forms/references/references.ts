import { z } from 'zod'
import { ownerOfFile } from '../../groups/files/files.ts'
import type { FileModel } from '../../groups/files/target.ts'
import { collection, type Paginated } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import type { RequestContext } from '../../http/context.ts'
import { languageQuery } from '../../http/query-schemas.ts'
import { linkOfPage } from '../../groups/pages/view.ts'
import { ownerOfPage, titleOfPage } from '../../groups/pages/pages.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import { imageFor } from '../pickers/images.ts'
import { resolveFiles, resolvePages } from '../query/references.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'

const maxReferences = 100
/** `file://…`, `page://…` */
const reference = /^(?:file|page):\/\/[\w-]{1,64}$/

const referredSchema = namedSchema(
  'ReferredModel',
  z.object({
    uuid: z.string(),
    kind: z.enum(['file', 'page']),
    /** The path of a page; the id of the parent and the filename for a file. */
    id: z.string(),
    /** The title of a page, the filename of a file. */
    text: z.string(),
    link: z.string(),
    image: z.record(z.string(), z.unknown()).nullable(),
    /** Only for files: `image`, `document`, … */
    type: z.string().nullable(),
  }),
)

type Referred = z.output<typeof referredSchema>

/** Resolves references in texts and links to their targets. Merged into the endpoints of the site. */
export const siteReferences = {
  references: endpoint({
    method: 'GET',
    path: '/site/references',
    summary: 'List what references lead to',
    description:
      'Titles, links and images of pages and files by their references (`of=page://…,file://…`, up to 100), in this order. What is deleted or hidden from the caller is left out.',
    access: 'session',
    query: z.strictObject({
      ...languageQuery,
      of: z
        .string()
        .max(10_000)
        .default('')
        .transform(text => [...new Set(text === '' ? [] : text.split(','))])
        .pipe(z.array(z.string().regex(reference)).max(maxReferences)),
    }),
    answer: collection(referredSchema),
    handler: async ({ ctx, query }) => listed(await referredBy(ctx, query.of)),
  }),
}

/** Keeps the order of the references. Leaves out deleted targets, and those that the caller may not see. */
async function referredBy(ctx: RequestContext, references: readonly string[]): Promise<Referred[]> {
  const ofKind = (kind: string) => references.filter(one => one.startsWith(kind))
  const [pages, files] = await Promise.all([resolvePages(ctx, ofKind('page:')), resolveFiles(ctx, ofKind('file:'))])
  return Promise.all(
    references.flatMap(one => {
      const [page, file] = [pages.get(one), files.get(one)]
      return page ? showPage(ctx, page) : file ? showFile(ctx, file) : []
    }),
  )
}

async function showPage(ctx: RequestContext, row: PageRow): Promise<Referred> {
  return {
    uuid: ownerOfPage(row.uuid),
    kind: 'page',
    id: row.path,
    text: titleOfPage(ctx.app, row),
    link: linkOfPage(row),
    image: await imageFor(ctx, { kind: 'page', row }, undefined, 'list'),
    type: null,
  }
}

async function showFile(ctx: RequestContext, row: FileModel): Promise<Referred> {
  const { file, parent } = row
  return {
    uuid: ownerOfFile(file.uuid),
    kind: 'file',
    id: parent.idPrefix + file.filename,
    text: file.filename,
    link: `${parent.link}/files/${file.filename}`,
    image: await imageFor(ctx, { kind: 'file', row }, undefined, 'list'),
    type: file.type,
  }
}

const listed = (data: Referred[]): Paginated<Referred> => ({
  data,
  pagination: { page: data.length > 0 ? 1 : 0, total: data.length, offset: 0, limit: maxReferences },
})
