import { z } from 'zod'
import type { App } from '../../app.ts'
import { type FileParent, findFile } from '../../groups/files/target.ts'
import { collection } from '../../http/answer.ts'
import { endpoint, mount } from '../../http/endpoint.ts'
import type { RequestContext } from '../../http/context.ts'
import { pagingQuery } from '../../http/paging.ts'
import { languageQuery } from '../../http/query-schemas.ts'
import { pageFileParent } from '../../groups/pages/files.ts'
import { pageTarget } from '../../groups/pages/target.ts'
import { contextForFileParent } from '../../access/authorize/authorize.ts'
import { siteFileParent, siteTarget } from '../../groups/site/target.ts'
import { userFileParent } from '../../groups/users/files.ts'
import { userTarget } from '../../groups/users/target.ts'
import { noUserOfFiles } from '../../groups/users/users.ts'
import { backlinkSchema, backlinksOfFile, backlinksOfPage } from './backlinks.ts'

const query = z.strictObject({ ...languageQuery, ...pagingQuery })
interface Request {
  app: App
  ctx: RequestContext
  params: { id: string }
}

/** Endpoint for the uses of a file; mounted for pages, the site and accounts. Lists only what the caller may see. */
const usesOf = (find: (request: Request) => Promise<FileParent>) => ({
  fileUses: endpoint({
    method: 'GET',
    path: '/files/:filename/uses',
    summary: 'List what refers to a file',
    description:
      'The pages, files, accounts and the site whose content refers to the file, as far as the caller may see them, with the names of the fields.',
    access: 'session',
    on: async request => findFile(request.ctx, await find(request as never), request.params.filename),
    query,
    answer: collection(backlinkSchema),
    handler: ({ ctx, target, query: paging }) => backlinksOfFile(ctx, target, paging),
  }),
})

/** Merged into the endpoints of pages. */
export const pageBacklinks = {
  uses: endpoint({
    method: 'GET',
    path: '/pages/:id/uses',
    summary: 'List what refers to a page',
    description:
      'The pages, files, accounts and the site whose content refers to the page, as far as the caller may see them, with the names of the fields.',
    access: 'session',
    on: pageTarget,
    query,
    answer: collection(backlinkSchema),
    handler: ({ ctx, target, query: paging }) => backlinksOfPage(ctx, target.page, paging),
  }),
  ...mount(
    '/pages/:id',
    usesOf(async ({ app, ctx, params }) =>
      pageFileParent((await pageTarget({ ctx: contextForFileParent(ctx), params })).page, app),
    ),
  ),
}

export const siteBacklinks = mount(
  '/site',
  usesOf(async ({ app, ctx }) => siteFileParent((await siteTarget({ ctx: contextForFileParent(ctx) })).site, app)),
)

export const userBacklinks = mount(
  '/users/:id',
  usesOf(async ({ ctx, params }) => {
    const target = await userTarget({ ctx: contextForFileParent(ctx), params, missing: noUserOfFiles })
    return userFileParent(target.user, ctx)
  }),
)
