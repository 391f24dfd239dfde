import { isoTime } from '../lib/time.ts'
import { z } from 'zod'
import { fillIn } from '../blueprints/query.ts'
import { type Described, pageBlueprintView } from '../content/blueprint.ts'
import { readContent } from '../content/content.ts'
import { formIn } from '../content/language-form.ts'
import { problemsOf } from '../content/rules.ts'
import type { PageBlueprint } from '../blueprints/blueprints.ts'
import { hasListedFiles } from '../files/listing/listing.ts'
import { filesIn } from '../files/target.ts'
import { fileViewOf } from '../files/view.ts'
import type { Look } from '../http/look.ts'
import { type Builder, viewOf } from '../http/view.ts'
import { previewOn } from '../languages/languages.ts'
import { inLanguage } from '../translations/translations.ts'
import { inTurn } from '../lib/pace.ts'
import { besideOf, besideSchema } from './beside/beside.ts'
import { fileParent } from './files.ts'
import { optionsNow, optionsOf } from './options.ts'
import { blueprintOf, contentOf, ownerOf, titleOf } from './pages.ts'
import type { PageRow } from './queries.ts'
import { childrenOf, draftsOf, hasChildren, hasDrafts, parentOfPage, parentsOf, siblingsOf } from './related.ts'
import { seeing } from './rights.ts'
import { acceptedTemplates, mustStayPublished, templatesOffered } from './rules.ts'
import { scheduleOf, scheduleSchema } from './schedule/view.ts'
import { scopeOf } from './scope.ts'
import { slugInContent, slugOf, urlOf } from './slugs/slugs.ts'

const map = z.record(z.string(), z.unknown())
const image = map.nullable()

const compact = ['id', 'title', 'url', 'num', 'uuid'] as const

/** What other things show of a page. */
const briefFields = (field: Builder<PageRow>) => ({
  hasChildren: field.value(z.boolean(), (page, look) => hasChildren(look, page)),
  id: field.value(z.string(), page => page.path),
  num: field.value(z.int().nullable(), page => page.num),
  panelImage: field.value(image, (page, look) => look.pageImage(look, page)),
  slug: field.value(z.string(), (page, look) => slugOf(look, page)),
  status: field.value(z.enum(['draft', 'unlisted', 'listed']), page => page.status),
  template: field.value(z.string(), page => page.template),
  title: field.value(z.string(), (page, { app }) => titleOf(app, page)),
  url: field.value(z.string(), (page, look) => urlOf(look, page)),
  uuid: field.value(z.string(), page => ownerOf(page.uuid)),
})

/** A page beside another thing: the parent of a file, the parent of a page. */
export const briefPageView = viewOf<PageRow>()(briefFields, { compact, default: compact })

/** What there is in a page without looking at other pages. */
const ownFields = (field: Builder<PageRow>) => ({
  ...briefFields(field),
  acceptedTemplates: field.extra(z.array(z.string()).nullable(), (page, { app }) => acceptedTemplates(app, page)),
  blueprint: field.one(pageBlueprintView, describe),
  blueprints: field.value(z.array(z.object({ name: z.string(), title: z.string() })), showBlueprints),
  content: field.value(map, showContent),
  created: field.extra(z.string(), page => isoTime(page.created_at)),
  errors: field.value(map, errorsOf),
  hasDrafts: field.value(z.boolean(), (page, look) => hasDrafts(look, page)),
  hasFiles: field.value(z.boolean(), async (page, look) => hasListedFiles(look, ownerOf(page.uuid))),
  isSortable: field.value(z.boolean(), (page, look) => optionsOf(look, page)['sort'] === true),
  modified: field.value(z.string(), page => isoTime(page.modified_at)),
  next: field.extra(besideSchema, (page, look) => besideOf(look, page, 1)),
  options: field.value(z.record(z.string(), z.boolean()), (page, look) => optionsNow(look, page)),
  prev: field.extra(besideSchema, (page, look) => besideOf(look, page, -1)),
  previewUrl: field.value(z.string().nullable(), showPreviewUrl),
  revision: field.extra(z.int(), page => page.revision),
  schedule: field.extra(scheduleSchema.nullable(), (page, look) => scheduleOf(look, page)),
})

const defaultView = [
  'content', 'id', 'status', 'num', 'options', ['parent', 'compact'], 'slug', 'template', 'title', 'url', 'uuid',
] as const // prettier-ignore

/** A page in a list beside another page: with its parents, but without further lists. */
const relatedView = viewOf<PageRow>()(
  field => ({
    ...ownFields(field),
    parent: field.maybe(briefPageView, (page, look) => parentOfPage(look, page)),
    parents: field.many(briefPageView, 'compact', (page, look) => parentsOf(look, page)),
    children: field.many(briefPageView, 'compact', (page, look) => childrenOf(look, page)),
    drafts: field.many(briefPageView, 'compact', (page, look) => draftsOf(look, page)),
  }),
  { compact, default: [...defaultView] },
)

/** Files of pages. */
export const pageFileView = fileViewOf({
  parent: relatedView,
  parents: relatedView,
  above: async (page, look) => [...(await parentsOf(look, page)), page],
})

export const pageView = viewOf<PageRow>()(
  field => ({
    ...ownFields(field),
    children: field.many(relatedView, 'compact', (page, look) => childrenOf(look, page)),
    drafts: field.many(relatedView, 'compact', (page, look) => draftsOf(look, page)),
    files: field.many(pageFileView, 'default', (page, look) => filesIn(look, fileParent(page, look.app))),
    parent: field.maybe(relatedView, (page, look) => parentOfPage(look, page)),
    parents: field.many(relatedView, 'compact', (page, look) => parentsOf(look, page)),
    siblings: field.many(relatedView, 'compact', (page, look) => siblingsOf(look, page)),
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
)

async function showContent(page: PageRow, look: Look): Promise<Record<string, unknown>> {
  const { fields, broken } = formIn(blueprintOf(look.app, page), await look.language())
  const content = await inTurn(() => readContent({ fields, broken }, contentOf(look.app, page)))
  const slug = await slugInContent(look, page)
  return {
    ...(await look.pick(look, fields, content, ownerOf(page.uuid))),
    // Where sites are files, these stand among the fields, and clients know them there.
    ...(slug !== undefined && { slug }),
    uuid: page.uuid,
  }
}

/** Where the panel shows it: `/pages/exhibits+tide-machine`. */
export const linkOf = ({ path }: Pick<PageRow, 'path'>) => `/pages/${path.replaceAll('/', '+')}`

export function describe(page: PageRow, { app }: Look): Described<PageBlueprint> {
  const blueprint = blueprintOf(app, page)
  const { preview: address } = blueprint
  const preview =
    typeof address === 'string' ? () => fillIn(address, scopeOf(app, page, contentOf(app, page))) : undefined
  return { blueprint, link: linkOf(page), preview, isPublished: mustStayPublished(app, page) }
}

function showBlueprints(page: PageRow, look: Look) {
  const { app, caller } = look
  return templatesOffered(app, page, seeing(look)).map(name => ({
    name,
    title: inLanguage(app.blueprints.page(name).title, caller.user.language),
  }))
}

/** What is wrong with its fields, and with what its sections list. */
async function errorsOf(page: PageRow, look: Look): Promise<Record<string, unknown>> {
  const { app, caller } = look
  const sections = await look.sectionErrors(look, page)
  return { ...sections, ...problemsOf(blueprintOf(app, page), contentOf(app, page), caller.user.language) }
}

/** A draft is shown to whoever has the link. */
async function showPreviewUrl(page: PageRow, look: Look): Promise<string | null> {
  const { app } = look
  const { preview } = blueprintOf(app, page)
  if (preview === false || optionsOf(look, page)['preview'] === false) return null
  const url =
    typeof preview === 'string'
      ? await fillIn(preview, scopeOf(app, page, contentOf(app, page)))
      : previewOn(app, await urlOf(look, page))
  if (page.status !== 'draft') return url
  return `${url}${url.includes('?') ? '&' : '?'}token=${previewToken(look, page)}`
}

/** 40 hexadecimal digits that nobody can guess. */
function previewToken({ app }: Look, { uuid }: PageRow): string {
  return Buffer.from(app.secrets.mac('vault', 'preview', uuid), 'base64url')
    .toString('hex')
    .slice(0, 40)
}
