import type { Context } from '../../access/actor.ts'
import { recordEvent } from '../../content/change-events.ts'
import { takeAddresses } from '../../content/redirects/redirects.ts'
import { denied } from '../../access/authorize/authorize.ts'
import { isPageActionAllowed, mustPublish, canViewPage } from '../../access/authorize/pages.ts'
import type { ContentLanguage } from '../../http/context.ts'
import type { Form } from '../../blueprints/blueprints.ts'
import type { ShownReferences } from '../../blueprints/fields/visible.ts'
import { firstContent, storeFirst } from '../../content/save.ts'
import { followRules } from '../../content/with-rules.ts'
import { fail } from '../../platform/errors.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { createId } from '../../platform/lib/id.ts'
import { indexContent } from '../../platform/search/search.ts'
import { selectNow } from '../../platform/store/store.ts'
import { mustBeComplete } from './complete.ts'
import { contentRules } from './page-rules.ts'
import { pageBlueprintOf, pageModelOf } from './pages.ts'
import {
  pathFor,
  pathMustBeValid,
  plainTitle,
  slugFrom,
  slugIsTaken,
  statusMustBeOffered,
  templateMustBeValid,
  templateOf,
  uuidMustBeValid,
} from './rules.ts'
import { translatedSlugIsTaken } from './slugs/slugs.ts'
import { lockParentPage } from './tree/lock.ts'
import { insertPage, selectAt } from './tree/queries.ts'

export interface NewPage {
  /** By default, derived from the title. */
  slug?: string | undefined
  title?: string | undefined
  template?: string | undefined
  content?: Readonly<Record<string, unknown>> | undefined
  /** With `false` the page is published at once as unlisted, if it is complete. */
  draft?: boolean | undefined
  /** The targets of the references in the content, as far as the actor may see them. */
  shownReferences: ShownReferences
  /** What the request has already read: the default language, and where the parent is. */
  language?: ContentLanguage | undefined
  parentPath?: string | undefined
}

/**
 * Creates a page below the page with this uuid (`''` for the top level), in the default language. Returns the uuid of
 * the new page.
 */
export async function createPage(ctx: Context, parent: string, requested: NewPage): Promise<string> {
  const { app } = ctx
  const { title, uuid = createId(), content: sent } = splitContent(requested)
  const language = requested.language ?? (await contentLanguage(app, undefined))
  const template = newTemplate(ctx, requested)
  const slug = slugFrom(requested.slug ?? title ?? '', language)
  const status = requested.draft === false ? 'unlisted' : 'draft'
  const page = { uuid, parent, slug, status, num: null, template } as const
  const [model, form] = [pageModelOf(app, page), pageBlueprintOf(app, page)]
  let { parentPath } = requested
  return app.store.write(async tx => {
    const expectedPath = parentPath
    parentPath = undefined // another attempt means that the parent was moved
    const above = await lockParentPage(ctx, tx, parent, language, expectedPath)
    const path = pathFor(above, slug)
    pathMustBeValid(path)
    templateMustBeValid(app, template, above)
    const now = hasTimeDefault(form) ? await selectNow(tx) : undefined
    const first = await firstContent(ctx, model, sent, {
      shownReferences: requested.shownReferences,
      ...(now !== undefined && { now }),
    })
    const titled = title === undefined ? first : { title, ...first }
    const ruled = contentRules(app, { ...page, path }, 'create')
    const content = ruled ? followRules(ctx, { ...ruled, model, language, content: titled }) : titled
    if (status !== 'draft') {
      statusMustBeOffered(app, { template, path }, status)
      await mustBeComplete(app, tx, page, [content], ctx.locale)
    }
    if (language.siteTranslatesSlugs && (await translatedSlugIsTaken(tx, { parent, slug })))
      throw slugIsTaken(ctx, await selectAt(tx, path), slug)
    if (!(await insertPage(tx, { ...page, path }))) {
      const existing = await selectAt(tx, path)
      throw existing ? slugIsTaken(ctx, existing, slug) : fail('page.uuid.duplicate', { uuid })
    }
    if (status !== 'draft') await takeAddresses(tx, { uuid, path }, { withDescendants: false })
    const key = await storeFirst(ctx, tx, model, { language, revision: 1, action: 'create' }, content)
    await indexContent(app.store, tx, { owner: model.owner, language: key, path, parent }, content)
    await recordEvent(ctx, tx, 'page.created', model.owner, { template, path, status, revision: 1 })
    return page.uuid
  })
}

/** The template of a new page, if the actor may create it. A template that the actor may not see does not exist for them. */
function newTemplate(ctx: Context, { template: name, draft }: NewPage): string {
  const template = templateOf(ctx.app, name)
  if (!canViewPage(ctx, { template }))
    throw name === undefined ? denied('pages.create') : fail('page.template.invalid', { template: name })
  if (!isPageActionAllowed(ctx, 'create', { template })) throw denied('pages.create')
  if (draft === false) {
    if (!isPageActionAllowed(ctx, 'changeStatus', { template })) throw denied('pages.changeStatus')
    mustPublish(ctx, { template })
  }
  return template
}

interface SplitContent {
  title: string | undefined
  uuid: string | undefined
  content: Record<string, unknown>
}

/** The content may include the title, and the uuid of a page that comes from another site. */
function splitContent({ title, content = {} }: NewPage): SplitContent {
  const entries = Object.entries(content)
  const requestedTitle = title ?? (entries.find(isTextNamed('title'))?.[1] as string | undefined)
  const uuid = entries.find(isTextNamed('uuid'))?.[1] as string | undefined
  if (uuid) uuidMustBeValid(uuid)
  const rest = entries.filter(entry => !isTextNamed('title')(entry) && !isTextNamed('uuid')(entry))
  return {
    title: requestedTitle === undefined || requestedTitle.trim() === '' ? undefined : plainTitle(requestedTitle),
    uuid: uuid || undefined,
    content: Object.fromEntries(rest),
  }
}

const isTextNamed =
  (expected: string) =>
  ([name, value]: [string, unknown]) =>
    name.toLowerCase() === expected && typeof value === 'string'

/** Whether the default of any field is the date or time of creation. */
function hasTimeDefault({ fields }: Pick<Form, 'fields'>): boolean {
  return [...fields.values()].some(field => field.default === 'now' || field.default === 'today')
}
