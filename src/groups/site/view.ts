import { visibleForm, visibleContent } from '../../content/private.ts'
import { z } from 'zod'
import { blueprintView } from '../../content/blueprint.ts'
import { readContent } from '../../content/content.ts'
import { formIn } from '../../content/language-form.ts'
import { lockedBy } from '../../content/drafts/draft-lock.ts'
import { filesIn } from '../files/target.ts'
import { fileViewOf } from '../files/view.ts'
import { isSiteActionAllowed } from '../../access/authorize/authorize.ts'
import type { RequestContext } from '../../http/context.ts'
import { tagOfSite } from '../../http/tags.ts'
import { type Builder, viewOf } from '../../http/view.ts'
import { childrenOf, draftsOf } from '../pages/related.ts'
import { acceptedTemplates } from '../pages/rules.ts'
import { briefPageView, pageView } from '../pages/view.ts'
import { siteFileParent } from './target.ts'
import type { SiteRow } from './queries.ts'
import { siteOwner, readContentOfSite, titleOfSite } from './site.ts'

const map = z.record(z.string(), z.unknown())
/** The parent of top-level pages. */
const top = { uuid: '', path: '' }
const tagsOf = () => [tagOfSite]

const briefFields = (field: Builder<SiteRow>) => ({
  /** For `editable` of `quoin/preview`: whose fields it shows. */
  editable: field.ofPreview(z.string(), () => siteOwner),
  title: field.value(z.string(), showTitle),
  url: field.value(z.string(), async (_, ctx) => (await ctx.language()).siteUrl),
})

const compact = ['title', 'url'] as const

const ownFields = (field: Builder<SiteRow>) => ({
  ...briefFields(field),
  blueprint: field.one(blueprintView, (_, { app }) => ({ blueprint: app.blueprints.site(), link: '/site' })),
  content: field.value(map, showContent),
  options: field.value(z.record(z.string(), z.boolean()), showOptions),
  previewUrl: field.value(z.string(), async (_, ctx) => (await ctx.language()).siteUrl),
})

const defaultView = ['content', 'options', 'title', 'url'] as const

/** Files of the site, with the site as their parent. */
export const siteFileView = fileViewOf({
  name: 'SiteFile',
  parent: viewOf<SiteRow>('RelatedSite')(ownFields, { compact, default: defaultView }, ['content', ...compact], tagsOf),
  parents: briefPageView,
  ancestors: () => [],
})

export const siteView = viewOf<SiteRow>('Site')(
  field => ({
    ...ownFields(field),
    acceptedTemplates: field.extra(z.array(z.string()).nullable(), (_, { app }) => acceptedTemplates(app, undefined)),
    children: field.many(pageView, 'compact', (_, ctx) => childrenOf(ctx, top)),
    drafts: field.many(pageView, 'compact', (_, ctx) => draftsOf(ctx, top)),
    files: field.many(siteFileView, 'default', (site, ctx) => filesIn(ctx, siteFileParent(site, ctx.app))),
    revision: field.extra(z.int(), ({ revision }) => revision),
  }),
  {
    compact,
    default: defaultView,
    panel: ['title', 'blueprint', 'content', 'options', 'previewUrl', 'url'],
    selector: ['title', ['children', ['hasChildren', 'id', 'panelImage', 'title']]],
  },
  ['children', 'content', 'files', ...compact],
  tagsOf,
)

async function showTitle(_: SiteRow, ctx: RequestContext): Promise<string> {
  const { app } = ctx
  return titleOfSite(app, await readContentOfSite(app, await ctx.language()), ctx.locale)
}

async function showContent(_: SiteRow, ctx: RequestContext): Promise<Record<string, unknown>> {
  const { app } = ctx
  const form = formIn(visibleForm(ctx, app.blueprints.site()), await ctx.language())
  const stored = await readContentOfSite(app, await ctx.language())
  const content = await readContent(form, visibleContent(ctx, form.fields, stored))
  return ctx.pick(ctx, form.fields, content, siteOwner)
}

/** What the caller may do with the site: nothing while another account has the edit lock. */
async function showOptions(_: SiteRow, ctx: RequestContext): Promise<Record<string, boolean>> {
  const { options } = ctx.app.blueprints.site()
  const isLocked = (await lockedBy(ctx, siteOwner)) !== undefined
  const decided = Object.keys(options).map(action => [action, !isLocked && isSiteActionAllowed(ctx, action)])
  return Object.fromEntries(decided) as Record<string, boolean>
}
