import { z } from 'zod'
import { blueprintView } from '../content/blueprint.ts'
import { readContent } from '../content/content.ts'
import { formIn } from '../content/language-form.ts'
import { lockedBy } from '../content/changes/kept.ts'
import { filesIn } from '../files/target.ts'
import { fileViewOf } from '../files/view.ts'
import { allowed } from '../http/door.ts'
import type { Look } from '../http/look.ts'
import { type Builder, viewOf } from '../http/view.ts'
import { previewOn, siteUrl } from '../languages/languages.ts'
import { type Permission, saidTo } from '../permissions/permissions.ts'
import { childrenOf, draftsOf } from '../pages/related.ts'
import { acceptedTemplates } from '../pages/rules.ts'
import { briefPageView, pageView } from '../pages/view.ts'
import { fileParent } from './target.ts'
import type { SiteRow } from './queries.ts'
import { owner, readContentOfSite, titleOf } from './site.ts'

const map = z.record(z.string(), z.unknown())
/** Where those are that have no page above them. */
const top = { uuid: '' }

const briefFields = (field: Builder<SiteRow>) => ({
  title: field.value(z.string(), showTitle),
  url: field.value(z.string(), async (_, look) => siteUrl(look.app, await look.language())),
})

const compact = ['title', 'url'] as const

const ownFields = (field: Builder<SiteRow>) => ({
  ...briefFields(field),
  blueprint: field.one(blueprintView, (_, { app }) => ({ blueprint: app.blueprints.site(), link: '/site' })),
  content: field.value(map, showContent),
  options: field.value(z.record(z.string(), z.boolean()), showOptions),
  previewUrl: field.value(z.string(), async (_, look) => previewOn(look.app, siteUrl(look.app, await look.language()))),
})

const defaultView = ['content', 'options', 'title', 'url'] as const

/** What the site shows of its files, and they of it. */
export const siteFileView = fileViewOf({
  parent: viewOf<SiteRow>()(ownFields, { compact, default: defaultView }),
  parents: briefPageView,
  above: () => [],
})

export const siteView = viewOf<SiteRow>()(
  field => ({
    ...ownFields(field),
    acceptedTemplates: field.extra(z.array(z.string()).nullable(), (_, { app }) => acceptedTemplates(app, undefined)),
    children: field.many(pageView, 'compact', (_, look) => childrenOf(look, top)),
    drafts: field.many(pageView, 'compact', (_, look) => draftsOf(look, top)),
    files: field.many(siteFileView, 'default', (site, look) => filesIn(look, fileParent(site, look.app))),
    revision: field.extra(z.int(), ({ revision }) => revision),
  }),
  {
    compact,
    default: defaultView,
    panel: ['title', 'blueprint', 'content', 'options', 'previewUrl', 'url'],
    selector: ['title', ['children', ['hasChildren', 'id', 'panelImage', 'title']]],
  },
)

async function showTitle(_: SiteRow, look: Look): Promise<string> {
  const { app, caller } = look
  return titleOf(app, await readContentOfSite(app, await look.language()), caller.user.language)
}

async function showContent(_: SiteRow, look: Look): Promise<Record<string, unknown>> {
  const { app } = look
  const form = formIn(app.blueprints.site(), await look.language())
  return look.pick(look, form.fields, readContent(form, await readContentOfSite(app, await look.language())), owner)
}

/** What the caller may do with the site: nothing while somebody else works on it. */
async function showOptions(_: SiteRow, look: Look): Promise<Record<string, boolean>> {
  const { app, caller } = look
  const { options } = app.blueprints.site()
  const isLocked = (await lockedBy(look, owner)) !== undefined
  const may = (action: string) =>
    actions.has(action)
      ? allowed(app, caller, `site.${action}` as Permission, { options })
      : saidTo(caller.user.role, options[action]) !== false
  const decided = Object.keys(options).map(action => [action, !isLocked && may(action)])
  return Object.fromEntries(decided) as Record<string, boolean>
}

const actions: ReadonlySet<string> = new Set(['changeTitle', 'update'])
