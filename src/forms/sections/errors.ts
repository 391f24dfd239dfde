import type { Section } from '../../blueprints/blueprints.ts'
import type { RequestContext } from '../../http/context.ts'
import { pageBlueprintOf } from '../../groups/pages/pages.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import { countFiles } from './files.ts'
import { errorsOf } from './list.ts'
import { countPages } from './pages.ts'
import type { ListErrors } from './view.ts'
import type { SectionContext } from './context.ts'

const counters: Readonly<Partial<Record<string, (context: SectionContext, section: Section) => Promise<number>>>> = {
  pages: countPages,
  files: countFiles,
}

/** Section name → error, for sections with too few or too many pages or files. Counts the whole list, not one page. */
export async function sectionErrors(ctx: RequestContext, row: PageRow): Promise<ListErrors> {
  const blueprint = pageBlueprintOf(ctx.app, row)
  const context: SectionContext = { ctx, subject: { kind: 'page', row }, blueprint, canUpdate: false }
  const found = [...blueprint.sections.values()].map(async section => {
    const count = isBounded(section) ? counters[section.type] : undefined
    return count ? errorsOf(context, section, await count(context, section)) : {}
  })
  return Object.assign({}, ...(await Promise.all(found))) as ListErrors
}

const isBounded = ({ min, max }: Section) => typeof min === 'number' || typeof max === 'number'
