import type { Section, Status } from '../../blueprints/blueprints.ts'
import type { Field } from '../../blueprints/fields/field.ts'
import type { ListSettings } from '../../blueprints/sections.ts'
import { capital } from '../../blueprints/settings.ts'
import type { Paginated } from '../../http/answer.ts'
import { paginate } from '../../http/paging.ts'
import { modelsIn } from '../query/lists.ts'
import { isSite, type Subject } from '../query/scope.ts'
import { translate } from '../../platform/translations/translations.ts'
import type { ListErrors } from './view.ts'
import { htmlOf, runQuery, textOfSetting, type SectionContext } from './context.ts'

/** Paging and search term of a request for a section. */
export interface SectionQuery {
  page: number
  /** Offset to start from, instead of `page`. */
  next?: number | undefined
  searchterm?: string | undefined
  /** Show the states of the listed pages. */
  states?: 'true' | 'false' | undefined
  /** Filters of pages. */
  status?: Status | undefined
  template?: string | undefined
  state?: 'changed' | 'mine' | 'scheduled' | 'incomplete' | undefined
}

export type Pagination = Paginated<never>['pagination']

/** A page number beyond the end means the last page. */
export function clamped(total: number, { page, next }: SectionQuery, limit: number): Pagination {
  if (next !== undefined && next < total) return paginate(total, { page, limit, next })
  const last = Math.ceil(total / limit)
  const shown = Math.min(Math.max(page, 1), Math.max(last, 1))
  return { page: total === 0 ? 0 : shown, total, offset: (shown - 1) * limit, limit }
}

const defaultLimit = 20
const maxAtOnce = 1000

export const limitOf = ({ limit }: Section) => Math.min(typeof limit === 'number' ? limit : defaultLimit, maxAtOnce)

/** The search term; empty if the section is not searchable. */
export const searchTermOf = ({ search }: Section, { searchterm = '' }: SectionQuery) =>
  search === true ? searchterm.trim() : ''

export const layoutOf = ({ layout }: Section) => (typeof layout === 'string' ? layout : 'list')

/** The parent of the listed items: the model, or the result of the `parent` query. Undefined if that finds nothing. */
export async function parentOf(context: SectionContext, { parent }: Section | Field): Promise<Subject | undefined> {
  if (typeof parent !== 'string') return context.subject
  const value = await runQuery(context, parent)
  if (isSite(value)) return { kind: 'site' }
  const [model] = (await modelsIn(value)) ?? []
  return model && ({ kind: model.kind, row: model.row } as Subject)
}

export async function headlineOf(context: SectionContext, { name, label, headline }: Section): Promise<string> {
  return (await textOfSetting(context, label)) ?? (await textOfSetting(context, headline)) ?? capital(name)
}

export const isFull = ({ max }: Section, total: number) => typeof max === 'number' && total >= max

/** Options that pages and files sections have in common. */
export async function listOptions(context: SectionContext, section: Section) {
  const { layout = 'list', max = null, min = null, search = false, size = 'auto' } = section as Section & ListSettings
  return {
    empty: await textOfSetting(context, section['empty']),
    headline: await headlineOf(context, section),
    help: await htmlOf(context, section['help']),
    layout,
    max,
    min,
    search,
    size,
  }
}

/** Errors for too few or too many items. */
export async function errorsOf(context: SectionContext, section: Section, total: number): Promise<ListErrors> {
  const { name, min, max } = section
  const { locale: language } = context.ctx
  const message = {
    ...(typeof min === 'number' &&
      total < min && { min: translate(language, 'validation.count.min', { min: String(min) }) }),
    ...(typeof max === 'number' &&
      total > max && { max: translate(language, 'validation.count.max', { max: String(max) }) }),
  }
  if (Object.keys(message).length === 0) return {}
  return { [name]: { label: await headlineOf(context, section), message } }
}
