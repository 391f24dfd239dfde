import type { App } from '../../app.ts'
import type { Context } from '../../access/actor.ts'
import { recordEvent } from '../../content/change-events.ts'
import { fieldTypeOf } from '../../blueprints/fields/field.ts'
import type { PageBlueprint } from '../../blueprints/blueprints.ts'
import type { StoredContent } from '../../content/content.ts'
import { mustNotBeEditedByOthers } from '../../content/drafts/draft-lock.ts'
import { decode } from '../../content/queries.ts'
import { mustBeCurrent } from '../../content/revision.ts'
import { firstContent, storeContent } from '../../content/save.ts'
import { followRules } from '../../content/with-rules.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { contentLanguages, isDefault } from '../../content/languages/languages.ts'
import { indexOwners } from '../../platform/search/search.ts'
import { selectNow, type Tx } from '../../platform/store/store.ts'
import { recordHistoryEvent } from './history.ts'
import { hasNumber, removeNumber, numberFrom, numberedSiblings, assignNumber } from './numbers.ts'
import { contentRules } from './page-rules.ts'
import { pageBlueprintOf, pageModelOf, ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { mustBePossible, templatesOffered } from './rules.ts'
import { lockPageInTree, publishing } from './tree/lock.ts'
import { updatePageRow, selectContentsOf } from './tree/queries.ts'
import type { PageChange } from './update.ts'

const updateTemplate = publishing('changeTemplate')

/**
 * Changes the template to one that the blueprint offers. Stored content stays, including fields that the new
 * blueprint does not have.
 */
export async function changeTemplate(
  ctx: Context,
  { uuid }: { uuid: string },
  requestedTemplate: string,
  { expected }: PageChange,
): Promise<number> {
  const { app } = ctx
  const template = requestedTemplate.toLowerCase()
  const languages = await contentLanguages(app)
  return app.store.write(async tx => {
    const { page } = await lockPageInTree(ctx, tx, uuid, updateTemplate, undefined, { numbering: true })
    mustBeCurrent(page.revision, expected)
    mustBePossible(app, page, 'changeTemplate')
    if (!templatesOffered(ctx, page).includes(template))
      throw fail('page.changeTemplate.invalid', { template: requestedTemplate })
    if (template === page.template) return page.revision
    await mustNotBeEditedByOthers(ctx, tx, [ownerOfPage(uuid)])
    const next = { ...page, template }
    const content = await convert(ctx, tx, page, next, languages)
    await indexOwners(app.store, tx, [{ owner: ownerOfPage(uuid) }])
    const num = page.status === 'listed' ? await renumbered(app, tx, page, next, content) : null
    const revision = await updatePageRow(tx, uuid, { template, num })
    const facts = { template, oldTemplate: page.template, path: page.path, revision, what: 'template' }
    await recordEvent(ctx, tx, 'page.changed', ownerOfPage(uuid), facts)
    await recordHistoryEvent(ctx, tx, { uuid, revision }, 'template', { before: page.template, after: template })
    return revision
  })
}

/** Converts the content in all languages. Returns the content in the default one. */
async function convert(
  ctx: Context,
  tx: Tx,
  before: PageRow,
  next: PageRow,
  languages: readonly ContentLanguage[],
): Promise<StoredContent> {
  const { app } = ctx
  const model = pageModelOf(app, next)
  const first = await firstContent(ctx, model, {}, { now: await selectNow(tx), shownReferences: 'all' })
  const stored = new Map((await selectContentsOf(tx, [model.owner])).map(row => [row.language, decode(row.data)]))
  const [oldBlueprint, newBlueprint] = [pageBlueprintOf(app, before), pageBlueprintOf(app, next)]
  const ruled = contentRules(app, next, 'changeTemplate')
  let defaultContent: StoredContent = {}
  for (const language of languages) {
    const isDefaultLanguage = isDefault(language)
    const own = stored.get(language.key) ?? (isDefaultLanguage ? {} : undefined)
    if (!own) continue
    const changed = converted(own, oldBlueprint, newBlueprint, isDefaultLanguage ? first : {})
    const content = ruled
      ? followRules(ctx, {
          ...ruled,
          input: { template: next.template },
          model,
          language,
          content: changed,
          before: own,
        })
      : changed
    if (isDefaultLanguage) defaultContent = content
    await storeContent(ctx, tx, model, { language, revision: before.revision + 1, action: 'template' }, content)
  }
  return defaultContent
}

/** A new field, or one that cannot read the stored value, gets its default. */
function converted(
  stored: StoredContent,
  oldBlueprint: PageBlueprint,
  newBlueprint: PageBlueprint,
  first: StoredContent,
): Record<string, string> {
  const content = { ...stored }
  for (const name of newBlueprint.fields.keys()) {
    const value = first[name]
    if (
      value !== undefined &&
      ((content[name] ?? '') === '' || !isReadable(content[name]!, name, oldBlueprint, newBlueprint))
    )
      content[name] = value
  }
  return content
}

function isReadable(text: string, name: string, oldBlueprint: PageBlueprint, newBlueprint: PageBlueprint): boolean {
  const field = newBlueprint.fields.get(name)!
  if (oldBlueprint.fields.get(name)?.type === field.type) return true
  const value = fieldTypeOf(field).read(text, field)
  return value !== '' && value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
}

/** The number under the new blueprint, which may number its pages differently. */
async function renumbered(app: App, tx: Tx, page: PageRow, next: PageRow, content: StoredContent) {
  const row = numberedSiblings(app, page.parent)
  const num = await numberFrom(app, tx, next, content)
  if (num === undefined) return hasNumber(app, page) ? page.num : assignNumber(tx, row, undefined)
  if (hasNumber(app, page)) await removeNumber(tx, row, page.uuid)
  return num
}
