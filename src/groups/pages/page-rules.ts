import type { App } from '../../app.ts'
import type { Context } from '../../access/actor.ts'
import { differing } from '../../content/difference.ts'
import { isDefault } from '../../content/languages/languages.ts'
import type { SavedContent } from '../../content/save.ts'
import { merged } from '../../content/stored.ts'
import { followAll, type RuledModel, type RuledChange, type RuleSubject } from '../../content/with-rules.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import type { Tx } from '../../platform/store/store.ts'
import { pageBlueprintOf, pageModelOf, ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { selectContentsOf } from './tree/queries.ts'

type RuledPage = Pick<PageRow, 'uuid' | 'path' | 'parent' | 'template' | 'status'> & { revision?: number }

/** The parent of a page as rules see it, and as files have it. */
export const ruledParent = (parent: string): string => (parent === '' ? 'site://' : ownerOfPage(parent))

/** A page as rules of extensions see it. */
export function ruledPage({ uuid, path: id, parent, template, status, revision = 0 }: RuledPage): RuledModel {
  const facts = { id, uuid: ownerOfPage(uuid), parent: ruledParent(parent), template, status, revision }
  return { kind: 'page', template, facts }
}

/**
 * A change of the content of a page. On a page that is not a draft it is `publish`, too: visitors read it at once.
 * Undefined if there are no rules.
 */
export function contentRules(app: App, page: RuledPage, ...operations: readonly string[]): RuledChange | undefined {
  if (!app.extensions.rules) return undefined
  const all = page.status === 'draft' ? operations : [...operations, 'publish']
  return { ...ruledPage(page), operations: all.map(name => `pages.${name}`) }
}

/** Throws the error of the rule that refuses an operation, which leaves the content of these pages as it is. */
export function pagesMustFollow(
  ctx: Context,
  pages: readonly RuledPage[],
  operations: readonly string[],
  input: Readonly<Record<string, unknown>>,
): void {
  const { app } = ctx
  if (!app.extensions.rules) return
  const named = operations.map(name => `pages.${name}`)
  followAll(
    ctx,
    pages.map(page => ({
      ...ruledPage(page),
      operations: named,
      model: pageModelOf(app, page),
      language: undefined,
      input,
    })),
  )
}

/** Whether a rule of an extension decides if pages of this template can be published. */
export const hasPublishRules = ({ extensions: { rules } }: App, { template }: Pick<RuledPage, 'template'>): boolean =>
  rules?.concern({ operations: ['pages.publish'], template }) === true

/** Content that rules have amended. */
export interface Amended<Page> extends SavedContent {
  page: Page
}

/**
 * For pages that become visible as they are: asks the rules of `pages.publish` about their content in every language.
 * The pages have their new status. Returns what the rules have amended, which the caller stores.
 */
export async function publishByRules<Page extends RuledPage>(
  ctx: Context,
  tx: Tx,
  pages: readonly Page[],
  languages: readonly ContentLanguage[],
  ...[operations = [], input = {}]: [operations?: readonly string[], input?: Readonly<Record<string, unknown>>]
): Promise<Amended<Page>[]> {
  const subjects: (RuleSubject & { page: Page })[] = []
  const { rules } = ctx.app.extensions
  const named = [...operations, 'publish'].map(name => `pages.${name}`)
  const hasRules = ({ status, template }: RuledPage) =>
    status !== 'draft' && rules?.concern({ operations: named, template }) === true
  for (const batch of chunks(pages.filter(hasRules))) {
    const rows = await selectContentsOf(
      tx,
      batch.map(({ uuid }) => ownerOfPage(uuid)),
    )
    for (const page of batch)
      for (const subject of subjectsOf(ctx.app, page, rows, languages, operations, input))
        subjects.push({ ...subject, page })
  }
  const contents = followAll(ctx, subjects)
  return subjects.flatMap(({ page, language, content: before }, at) => {
    const content = contents[at]!
    const fields = differing(before!, content)
    return language && fields.length > 0 ? [{ page, language, content, fields }] : []
  })
}

function subjectsOf(
  app: App,
  page: RuledPage,
  rows: readonly { owner: string; language: string; data: string }[],
  languages: readonly ContentLanguage[],
  operations: readonly string[],
  input: Readonly<Record<string, unknown>>,
): RuleSubject[] {
  const model = pageModelOf(app, page)
  const ruled = { ...contentRules(app, page, ...operations)!, model, input }
  const texts = new Map(rows.filter(({ owner }) => owner === model.owner).map(row => [row.language, row.data]))
  return languages.flatMap(language => {
    const own = texts.get(language.key)
    if (own === undefined && !isDefault(language)) return []
    const base = isDefault(language) ? null : (texts.get(language.fallback) ?? null)
    const content = merged({ own: own ?? null, base }, pageBlueprintOf(app, page).fields)
    return [{ ...ruled, language, content, before: content }]
  })
}
