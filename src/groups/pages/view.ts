import { visibleForm, visibleContent } from '../../content/private.ts'
import { isoTime } from '../../platform/lib/time.ts'
import { z } from 'zod'
import { panelImageSchema } from '../../blueprints/panel-image.ts'
import { fillIn } from '../../blueprints/query.ts'
import { type BlueprintModel, pageBlueprintView } from '../../content/blueprint.ts'
import { readContent } from '../../content/content.ts'
import { formIn } from '../../content/language-form.ts'
import { type Problems, problemsOf, problemsSchema } from '../../content/rules.ts'
import type { PageBlueprint } from '../../blueprints/blueprints.ts'
import { hasListedFiles } from '../files/listing/listing.ts'
import { filesIn } from '../files/target.ts'
import { fileViewOf } from '../files/view.ts'
import type { RequestContext } from '../../http/context.ts'
import { type Builder, viewOf } from '../../http/view.ts'
import { inLanguage } from '../../platform/translations/translations.ts'
import { neighboursOf, neighboursSchema } from './neighbours/neighbours.ts'
import { pageFileParent } from './files.ts'
import { optionsNow, pageActions } from './options.ts'
import { pageBlueprintOf, contentOf, ownerOfPage, titleOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { childrenOf, draftsOf, hasChildren, hasDrafts, parentOfPage, parentsOf, siblingsOf } from './related.ts'
import { acceptedTemplates, mustStayPublished, templatesOffered } from './rules.ts'
import { releaseOf, waitingSchema } from './release-of.ts'
import { reviewOf, reviewSchema } from './review/view.ts'
import { scheduleOf, scheduleSchema } from './schedule/view.ts'
import { placeholdersOf } from './scope.ts'
import { slugInContent, slugOf, urlOf } from './slugs/slugs.ts'
import { pageStateSchema, stateOf } from './state.ts'
import { statusLabelOf } from './status-label.ts'
import { tagsOfPage } from './tags.ts'

const map = z.record(z.string(), z.unknown())

const compact = ['id', 'title', 'url', 'num', 'uuid'] as const
const briefForAnonymous = ['hasChildren', 'id', 'num', 'slug', 'status', 'template', 'title', 'url', 'uuid'] as const
const forAnonymous = [
  ...briefForAnonymous, 'children', 'content', 'created', 'hasFiles', 'modified', 'next', 'parent', 'parents', 'prev',
] as const // prettier-ignore

/** The properties that other models show of a page. */
const briefFields = (field: Builder<PageRow>) => ({
  /** For `editable` of `quoin/preview`: whose fields it shows. */
  editable: field.ofPreview(z.string(), page => ownerOfPage(page.uuid)),
  hasChildren: field.value(z.boolean(), (page, ctx) => hasChildren(ctx, page)),
  id: field.value(z.string(), page => page.path),
  num: field.value(z.int().nullable(), page => page.num),
  panelImage: field.value(panelImageSchema.nullable(), (page, ctx) => ctx.pageImage(ctx, page)),
  slug: field.value(z.string(), (page, ctx) => slugOf(ctx, page)),
  status: field.value(z.enum(['draft', 'unlisted', 'listed']), page => page.status),
  template: field.value(z.string(), page => page.template),
  title: field.value(z.string(), (page, { app }) => titleOfPage(app, page)),
  url: field.value(z.string(), (page, ctx) => urlOf(ctx, page)),
  uuid: field.value(z.string(), page => ownerOfPage(page.uuid)),
})

/** A page inside of another model: the parent of a file or of a page. */
export const briefPageView = viewOf<PageRow>('BriefPage')(
  briefFields,
  { compact, default: compact },
  briefForAnonymous,
  tagsOfPage,
)

/** The properties that need no other pages. */
const ownFields = (field: Builder<PageRow>) => ({
  ...briefFields(field),
  acceptedTemplates: field.extra(z.array(z.string()).nullable(), (page, { app }) => acceptedTemplates(app, page)),
  blueprint: field.one(pageBlueprintView, blueprintModelOf),
  blueprints: field.value(z.array(z.object({ name: z.string(), title: z.string() })), showBlueprints),
  content: field.value(map, showContent),
  created: field.extra(z.string(), page => isoTime(page.created_at)),
  errors: field.value(problemsSchema, errorsOf),
  hasDrafts: field.value(z.boolean(), (page, ctx) => hasDrafts(ctx, page)),
  hasFiles: field.value(z.boolean(), async (page, ctx) => hasListedFiles(ctx, ownerOfPage(page.uuid))),
  isSortable: field.value(z.boolean(), (page, ctx) => pageActions(ctx, page)['sort'] === true),
  modified: field.value(z.string(), page => isoTime(page.modified_at)),
  next: field.extra(neighboursSchema, (page, ctx) => neighboursOf(ctx, page, 1)),
  options: field.value(z.record(z.string(), z.boolean()), (page, ctx) => optionsNow(ctx, page)),
  prev: field.extra(neighboursSchema, (page, ctx) => neighboursOf(ctx, page, -1)),
  previewUrl: field.value(z.string().nullable(), showPreviewUrl),
  release: field.extra(waitingSchema.nullable(), async (page, ctx) =>
    pageActions(ctx, page)['update'] === true ? ((await releaseOf(ctx, page)) ?? null) : null,
  ),
  revision: field.extra(z.int(), page => page.revision),
  review: field.extra(reviewSchema.nullable(), (page, ctx) =>
    pageActions(ctx, page)['update'] === true ? reviewOf(ctx, page) : null,
  ),
  schedule: field.extra(scheduleSchema.nullable(), (page, ctx) => scheduleOf(ctx, page)),
  state: field.extra(pageStateSchema, stateOf),
  statusLabel: field.extra(z.string(), (page, ctx) => statusLabelOf(ctx, page)),
})

const defaultView = [
  'content', 'id', 'status', 'num', 'options', ['parent', 'compact'], 'slug', 'template', 'title', 'url', 'uuid',
] as const // prettier-ignore

/** A related page: with its parents, but without further lists. */
const relatedView = viewOf<PageRow>('RelatedPage')(
  field => ({
    ...ownFields(field),
    parent: field.maybe(briefPageView, (page, ctx) => parentOfPage(ctx, page)),
    parents: field.many(briefPageView, 'compact', (page, ctx) => parentsOf(ctx, page)),
    children: field.many(briefPageView, 'compact', (page, ctx) => childrenOf(ctx, page)),
    drafts: field.many(briefPageView, 'compact', (page, ctx) => draftsOf(ctx, page)),
  }),
  { compact, default: [...defaultView] },
  forAnonymous,
  tagsOfPage,
)

export const pageFileView = fileViewOf({
  name: 'PageFile',
  parent: relatedView,
  parents: relatedView,
  ancestors: async (page, ctx) => [...(await parentsOf(ctx, page)), page],
})

export const pageView = viewOf<PageRow>('Page')(
  field => ({
    ...ownFields(field),
    children: field.many(relatedView, 'compact', (page, ctx) => childrenOf(ctx, page)),
    drafts: field.many(relatedView, 'compact', (page, ctx) => draftsOf(ctx, page)),
    files: field.many(pageFileView, 'default', (page, ctx) => filesIn(ctx, pageFileParent(page, ctx.app))),
    parent: field.maybe(relatedView, (page, ctx) => parentOfPage(ctx, page)),
    parents: field.many(relatedView, 'compact', (page, ctx) => parentsOf(ctx, page)),
    siblings: field.many(relatedView, 'compact', (page, ctx) => siblingsOf(ctx, page)),
  }),
  {
    compact,
    default: [...defaultView],
    panel: [
      'id', 'blueprint', 'content', 'status', 'options', ['parents', ['id', 'slug', 'title']], 'previewUrl', 'slug',
       'title', 'url', 'uuid',
    ], // prettier-ignore
    selector: ['id', 'title', ['parent', ['id', 'title']], ['children', ['hasChildren', 'id', 'panelImage', 'title']]],
  },
  [...forAnonymous, 'files', 'siblings'],
  tagsOfPage,
)

async function showContent(page: PageRow, ctx: RequestContext): Promise<Record<string, unknown>> {
  const blueprint = pageBlueprintOf(ctx.app, page)
  const language = await ctx.language()
  const { fields, broken } = formIn(visibleForm(ctx, blueprint), language)
  const content = await readContent({ fields, broken }, visibleContent(ctx, fields, contentOf(ctx.app, page)))
  const slug = await slugInContent(ctx, language, page)
  return {
    ...(await ctx.pick(ctx, fields, content, ownerOfPage(page.uuid))),
    // Sites in text files have these among their fields, so clients expect them in `content`.
    ...(slug !== undefined && { slug }),
    uuid: page.uuid,
  }
}

/** The path in the panel: `/pages/exhibits+tide-machine`. */
export const linkOfPage = ({ path }: Pick<PageRow, 'path'>) => `/pages/${path.replaceAll('/', '+')}`

export function blueprintModelOf(page: PageRow, { app }: RequestContext): BlueprintModel<PageBlueprint> {
  const blueprint = pageBlueprintOf(app, page)
  const { preview: address } = blueprint
  const preview =
    typeof address === 'string' ? () => fillIn(address, placeholdersOf(app, page, contentOf(app, page))) : undefined
  return { blueprint, link: linkOfPage(page), preview, isPublished: mustStayPublished(app, page) }
}

function showBlueprints(page: PageRow, ctx: RequestContext) {
  return templatesOffered(ctx, page).map(name => ({
    name,
    title: inLanguage(ctx.app.blueprints.page(name).title, ctx.locale),
  }))
}

/** Validation errors of the fields, and of the sections. */
async function errorsOf(page: PageRow, ctx: RequestContext): Promise<Problems> {
  const { app } = ctx
  return {
    ...(await ctx.sectionErrors(ctx, page)),
    ...(await problemsOf(pageBlueprintOf(app, page), contentOf(app, page), ctx.locale)),
  }
}

/** Where the front end shows the page: the address of the blueprint, or that of the page. */
export function previewAddress(ctx: RequestContext, page: PageRow): string | Promise<string> {
  const { app } = ctx
  const { preview } = pageBlueprintOf(app, page)
  return typeof preview === 'string'
    ? fillIn(preview, placeholdersOf(app, page, contentOf(app, page)))
    : urlOf(ctx, page)
}

/** Null if there is no preview. Unpublished content is shown there only with a preview pass. */
async function showPreviewUrl(page: PageRow, ctx: RequestContext): Promise<string | null> {
  if (pageBlueprintOf(ctx.app, page).preview === false || pageActions(ctx, page)['preview'] === false) return null
  return previewAddress(ctx, page)
}
