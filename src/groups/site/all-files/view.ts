import { z } from 'zod'
import type { StoredContent } from '../../../content/content.ts'
import type { FileParent } from '../../files/target.ts'
import { fileViewOf } from '../../files/view.ts'
import type { RequestContext } from '../../../http/context.ts'
import { viewOf } from '../../../http/view.ts'
import { titleOfPage } from '../../pages/pages.ts'
import type { PageRow } from '../../pages/queries.ts'
import { parentsOf } from '../../pages/related.ts'
import { briefPageView } from '../../pages/view.ts'
import type { UserRow } from '../../users/users.ts'
import { readContentOfSite, titleOfSite } from '../site.ts'

type ParentKind = 'page' | 'site' | 'user'
const kindOf = ({ owner }: FileParent) => owner.slice(0, owner.indexOf(':')) as ParentKind

const compact = ['id', 'kind', 'link', 'title', 'uuid'] as const

/** The parent of a file: a page, the site or an account. */
const parentView = viewOf<FileParent>('FileParent')(
  field => ({
    /** Null for the site. */
    id: field.value(z.string().nullable(), ({ idPrefix }) => idPrefix.slice(0, -1) || null),
    kind: field.value(z.enum(['page', 'site', 'user']), kindOf),
    link: field.value(z.string(), ({ link }) => link),
    title: field.value(z.string(), titleOf),
    uuid: field.value(z.string(), ({ owner }) => owner),
  }),
  { compact, default: compact },
)

/** Files of any parent, for results that mix files of pages, the site and accounts. */
export const anyFileView = fileViewOf({
  name: 'AnyFile',
  parent: parentView,
  parents: briefPageView,
  ancestors: async (parent, ctx) => {
    if (kindOf(parent) !== 'page') return []
    const page = parent.model as PageRow
    return [...(await parentsOf(ctx, page)), page]
  },
})

async function titleOf(parent: FileParent, ctx: RequestContext): Promise<string> {
  const { app } = ctx
  const kind = kindOf(parent)
  if (kind === 'page') return titleOfPage(app, parent.model as PageRow)
  if (kind === 'site') return titleOfSite(app, await contentOfSite(ctx), ctx.locale)
  const { name, email } = parent.model as UserRow
  return name || email
}

const siteContents = new WeakMap<RequestContext, Promise<StoredContent>>()

/** Caches the content of the site per request: many files may belong to it. */
function contentOfSite(ctx: RequestContext): Promise<StoredContent> {
  let content = siteContents.get(ctx)
  if (!content) {
    content = readSite(ctx)
    siteContents.set(ctx, content)
  }
  return content
}

async function readSite(ctx: RequestContext): Promise<StoredContent> {
  return readContentOfSite(ctx.app, await ctx.language())
}
