import { hasTemplate } from '../../access/authorize/templates.ts'
import type { App } from '../../app.ts'
import type { Section } from '../../blueprints/blueprints.ts'
import { capital } from '../../blueprints/settings.ts'
import type { StoredContent } from '../../content/content.ts'
import { problemsOf } from '../../content/rules.ts'
import { type Details, fail } from '../../platform/errors.ts'
import type { Tx } from '../../platform/store/store.ts'
import { message } from '../../platform/texts.ts'
import { inLanguage } from '../../platform/translations/translations.ts'
import { statusesOf } from './children/list.ts'
import { pageBlueprintOf, ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { namesInSetting } from './rules.ts'
import { countChildrenNow, countFilesNow } from './tree/queries.ts'

type SectionOwner = Pick<PageRow, 'uuid' | 'template'>

/**
 * Throws unless the page can be published: its fields are valid, and its sections have neither too few nor too many
 * pages or files.
 */
export async function mustBeComplete(
  app: App,
  tx: Tx,
  page: SectionOwner,
  /** The content in the default language, and in another language that is published with it. */
  contents: readonly StoredContent[],
  locale: string,
) {
  const blueprint = pageBlueprintOf(app, page)
  const details: Details = Object.assign(
    {},
    ...(await Promise.all(contents.map(content => problemsOf(blueprint, content, locale)))),
  )
  for (const section of blueprint.sections.values()) {
    if (!isBounded(section)) continue
    const broken = bounds(section, await count(tx, page, section))
    if (Object.keys(broken).length > 0) details[section.name] = { label: labelOf(section, locale), message: broken }
  }
  if (Object.keys(details).length > 0) throw fail('page.changeStatus.incomplete').with({ details })
}

/**
 * Sections with a query or another parent depend on the caller's permissions; `sectionsMustBeComplete` checks those.
 */
function isBounded({ type, min, max, parent, query }: Section): boolean {
  const isOwn = ['pages', 'files'].includes(type) && parent === undefined && query === undefined
  return isOwn && (typeof min === 'number' || typeof max === 'number')
}

function bounds({ min, max }: Section, total: number): Details {
  return {
    ...(typeof min === 'number' && total < min && { min: message('validation.count.min', { min: String(min) }) }),
    ...(typeof max === 'number' && total > max && { max: message('validation.count.max', { max: String(max) }) }),
  }
}

async function count(tx: Tx, { uuid }: SectionOwner, section: Section): Promise<number> {
  const { type, status = 'all', template, templates = template, templatesIgnore } = section
  if (type === 'files') return countFilesNow(tx, ownerOfPage(uuid), typeof template === 'string' ? template : undefined)
  const only = namesInSetting(templates)
  const templateFilter = { templates: only.length > 0 ? only : undefined, except: namesInSetting(templatesIgnore) }
  const statuses = statusesOf(String(status))
  const matches = (one: { status: PageRow['status']; template: string }) =>
    statuses.includes(one.status) &&
    hasTemplate(templateFilter, one.template) &&
    !templateFilter.except.includes(one.template)
  return (await countChildrenNow(tx, uuid)).filter(matches).reduce((sum, one) => sum + one.count, 0)
}

function labelOf({ name, label, headline }: Section, locale: string): string {
  const text = label ?? headline
  return text === undefined || text === null ? capital(name) : inLanguage(text as string, locale)
}
