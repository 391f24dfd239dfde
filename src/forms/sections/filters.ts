import { accountOf } from '../../access/actor.ts'
import { templatesToUpdate } from '../../access/authorize/pages.ts'
import { hasTemplate } from '../../access/authorize/templates.ts'
import { type Status, statuses as allStatuses } from '../../blueprints/blueprints.ts'
import { listedDraft } from '../../content/drafts/listed-drafts.ts'
import { ownerOfPage } from '../../groups/pages/pages.ts'
import type { PageFilter, PageRow } from '../../groups/pages/queries.ts'
import { selectBatchesBy } from '../../groups/pages/search/queries.ts'
import { breaksRules } from '../../groups/pages/state.ts'
import { statusLabelOf } from '../../groups/pages/status-label.ts'
import type { RequestContext } from '../../http/context.ts'
import { createYielder } from '../../platform/lib/yield.ts'
import { showTemplates } from './blueprints.ts'
import type { SectionQuery } from './list.ts'
import { type ListScope, selectUuidsByState } from './queries.ts'

/** Maximum number of pages of one state in a list. */
const maxInState = 10_000
/** Maximum number of pages of a list whose content is checked to find incomplete ones. */
const maxInspected = 500

export type ListState = NonNullable<SectionQuery['state']>

export const isFiltered = ({ status, template, state }: SectionQuery) =>
  [status, template, state].some(value => value !== undefined)

/** The caller only narrows what the blueprint lists. */
export function narrowedBy({ statuses, ...templates }: PageFilter, { status, template }: SectionQuery): PageFilter {
  return {
    statuses: status === undefined ? statuses : statuses.filter(one => one === status),
    ...(template === undefined
      ? templates
      : { templates: hasTemplate(templates, template) ? [template] : [], except: [] }),
  }
}

interface InState {
  uuids: string[]
  /** How many pages were checked, if there are more. */
  inspected?: number
}

/** The pages in a state, in the order of lists. */
export async function findInState(
  ctx: RequestContext,
  scope: ListScope,
  filter: PageFilter,
  state: ListState,
): Promise<InState> {
  const { key: language } = await ctx.language()
  const find = (known: 'changed' | 'mine' | 'scheduled' | 'unfinished', limit: number) =>
    selectUuidsByState(
      ctx.app.store,
      scope,
      filter,
      { state: known, language, user: accountOf(ctx) ?? '', updatable: templatesToUpdate(ctx) },
      limit,
    )
  if (state !== 'incomplete') return { uuids: await find(state, maxInState) }
  const candidates = await find('unfinished', maxInspected + 1)
  const uuids = await incompleteAmong(ctx, candidates.slice(0, maxInspected))
  return { uuids, ...(candidates.length > maxInspected && { inspected: maxInspected }) }
}

async function incompleteAmong(ctx: RequestContext, uuids: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const yielder = createYielder()
  for await (const pages of selectBatchesBy(ctx.app.store, await ctx.language(), uuids)) {
    const drafts = await Promise.all(pages.map(({ uuid }) => listedDraft(ctx, ownerOfPage(uuid))))
    for (const [index, page] of pages.entries()) {
      if ((await breaksRules(ctx, page, drafts[index])) === true) found.push(page.uuid)
      if (yielder.isDue()) await yielder.yieldNow()
    }
  }
  return found
}

/** A template and a status that pages of the list have. */
export type Kind = Pick<PageRow, 'template' | 'status'>

/** What the list can be filtered by. A status has the name of the blueprints if they agree, otherwise null. */
export function filtersOf(ctx: RequestContext, kinds: readonly Kind[]) {
  const templates = [...new Set(kinds.map(({ template }) => template))]
  const labelsOf = (status: Status) =>
    new Set(kinds.flatMap(kind => (kind.status === status ? [statusLabelOf(ctx, kind)] : [])))
  return {
    statuses: allStatuses.flatMap(status => {
      const [label, ...others] = labelsOf(status)
      return label === undefined ? [] : [{ name: status, label: others.length === 0 ? label : null }]
    }),
    templates: showTemplates(ctx, templates),
  }
}
