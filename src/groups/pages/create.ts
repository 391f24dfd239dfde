import type { App } from '../../app.ts'
import { type By, record } from '../../access/audit/audit.ts'
import type { Form } from '../../blueprints/blueprints.ts'
import type { VisibleReferences } from '../../blueprints/fields/visible.ts'
import { firstContent, storeFirst } from '../../content/save.ts'
import { fail } from '../../platform/errors.ts'
import { contentLanguage, contentLanguages } from '../../content/languages/languages.ts'
import { createId } from '../../platform/lib/id.ts'
import { indexNewOwner } from '../../platform/search/search.ts'
import { selectNow } from '../../platform/store/store.ts'
import { mustBeComplete } from './complete.ts'
import { blueprintOf, modelOf } from './pages.ts'
import {
  pathFor,
  pathMustFit,
  plainTitle,
  type Sees,
  slugFrom,
  slugIsTaken,
  statusMustBeOffered,
  templateMustFit,
  templateOf,
  uuidMustFit,
} from './rules.ts'
import { hasTranslatedSlugs, translatedSlugIsTaken } from './slugs/slugs.ts'
import { lockParent } from './tree/lock.ts'
import { insertPage, selectAt } from './tree/queries.ts'

export interface NewPage {
  /** By default, derived from the title. */
  slug?: string | undefined
  title?: string | undefined
  template?: string | undefined
  content?: Readonly<Record<string, unknown>> | undefined
  /** With `false` the page is published at once as unlisted, if it is complete. */
  draft?: boolean | undefined
}

interface NewPageOptions {
  by?: By
  readBy?: string
  sees?: Sees
  /** The targets of the references in the content, as far as the caller may see them. */
  visible?: VisibleReferences | undefined
}

/**
 * Creates a page below the page with this uuid (`''` for the top level), in the default language. Returns the uuid of
 * the new page.
 */
export async function createPage(
  app: App,
  parent: string,
  wanted: NewPage,
  { by = {}, readBy = 'en', sees, visible }: NewPageOptions = {},
): Promise<string> {
  const { title, uuid = createId(), content: sent } = takeApart(wanted)
  const language = await contentLanguage(app, undefined)
  const template = templateOf(app, wanted.template)
  const slug = slugFrom(wanted.slug ?? title ?? '', language)
  const status = wanted.draft === false ? 'unlisted' : 'draft'
  const page = { uuid, parent, slug, status, num: null, template } as const
  const [model, form] = [modelOf(app, page), blueprintOf(app, page)]
  const isTranslated = hasTranslatedSlugs(await contentLanguages(app))
  return app.store.write(async tx => {
    const above = await lockParent(app, tx, parent, language)
    const path = pathFor(above, slug)
    pathMustFit(path)
    templateMustFit(app, template, above)
    const now = beginsNow(form) ? await selectNow(tx) : undefined
    const first = await firstContent(model, sent, { readBy, visible, ...(now !== undefined && { now }) })
    const content = title === undefined ? first : { title, ...first }
    if (status !== 'draft') {
      statusMustBeOffered(app, { template, path }, status)
      await mustBeComplete(app, tx, page, [content], readBy)
    }
    if (isTranslated && (await translatedSlugIsTaken(tx, { parent, slug })))
      throw slugIsTaken(await selectAt(tx, path), slug, sees)
    if (!(await insertPage(tx, { ...page, path }))) {
      const there = await selectAt(tx, path)
      throw there ? slugIsTaken(there, slug, sees) : fail('page.uuid.duplicate', { uuid })
    }
    const key = await storeFirst(tx, model, { language, revision: 1, action: 'create', by }, content)
    await indexNewOwner(app.store, tx, { owner: model.owner, language: key, path, parent }, content)
    await record(tx, { event: 'page.created', subject: model.owner, ...by, detail: { template, status } })
    return page.uuid
  })
}

interface Parts {
  title: string | undefined
  uuid: string | undefined
  content: Record<string, unknown>
}

/** The content may include the title, and the uuid of a page that comes from another site. */
function takeApart({ title, content = {} }: NewPage): Parts {
  const entries = Object.entries(content)
  const given = title ?? (entries.find(isNamed('title'))?.[1] as string | undefined)
  const uuid = entries.find(isNamed('uuid'))?.[1] as string | undefined
  if (uuid) uuidMustFit(uuid)
  const rest = entries.filter(entry => !isNamed('title')(entry) && !isNamed('uuid')(entry))
  return {
    title: given === undefined || given.trim() === '' ? undefined : plainTitle(given),
    uuid: uuid || undefined,
    content: Object.fromEntries(rest),
  }
}

const isNamed =
  (wanted: string) =>
  ([name, value]: [string, unknown]) =>
    name.toLowerCase() === wanted && typeof value === 'string'

/** Whether the default of any field is the date or time of creation. */
function beginsNow({ fields }: Pick<Form, 'fields'>): boolean {
  return [...fields.values()].some(field => field.default === 'now' || field.default === 'today')
}
