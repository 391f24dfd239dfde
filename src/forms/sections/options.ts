import { isMap } from '../../blueprints/fields/stored.ts'
import { offeredBy } from '../../blueprints/fields/options.ts'
import type { Field } from '../../blueprints/fields/field.ts'
import { fillIn, type Scope, type QueryValue } from '../../blueprints/query.ts'
import type { RequestContext } from '../../http/context.ts'
import { findReferencedFile } from '../pickers/files.ts'
import { findPage } from '../pickers/pages.ts'
import { findUser } from '../pickers/users.ts'
import { scopeOf, type Subject } from '../query/scope.ts'
import { modelsIn } from '../query/lists.ts'
import { textOfSetting, runQuery, type SectionContext } from './context.ts'

interface Shown {
  disabled: boolean
  icon: string | null
  info: string | null
  text: string
  value: string
}

type Setting = Parameters<typeof offeredBy>[0]['options']

const maxOptions = 1000

/** The options of a field: listed in the blueprint, or the results of its query. `type: api` is never fetched. */
export async function choicesOf(context: SectionContext, field: Field): Promise<Shown[]> {
  const setting = field['options'] as Setting
  const offered = offeredBy({ ...field, options: setting })
  if (!offered) return dynamic(context, setting)
  return Promise.all(
    offered.options.map(async ({ value, text, disabled, icon = null, info }) => ({
      disabled,
      icon,
      info: info === undefined ? null : await textOfSetting(context, info),
      text: (await textOfSetting(context, text)) ?? value,
      value,
    })),
  )
}

/** Default templates for text and value of options from a query. */
const defaultTexts = {
  page: { text: '{{ page.title }}', value: '{{ page.uuid }}' },
  file: { text: '{{ file.filename }}', value: '{{ file.uuid }}' },
  user: { text: '{{ user.username }}', value: '{{ user.email }}' },
  item: { text: '{{ item }}', value: '{{ item }}' },
}

async function dynamic(context: Pick<SectionContext, 'ctx' | 'subject'>, setting: Setting): Promise<Shown[]> {
  const settings: Readonly<Record<string, unknown>> = isMap(setting) ? setting : { query: setting }
  const { query: source, text, value } = settings
  if (settings['type'] === 'api' || typeof source !== 'string') return []
  const result = await runQuery(context, source)
  const models = (await modelsIn(result)) ?? itemsIn(result)
  const scope = scopeOf(context.ctx, context.subject)
  return Promise.all(
    models.slice(0, maxOptions).map(async ({ kind, value: item }) => {
      const inner: Scope = { ...scope, [kind]: item, item }
      const filled = (template: unknown, fallback: string) =>
        fillIn(typeof template === 'string' ? template : fallback, inner)
      const called = await filled(text, defaultTexts[kind].text)
      return {
        disabled: false,
        icon: null,
        info: null,
        text: called,
        value: await filled(value, defaultTexts[kind].value),
      }
    }),
  )
}

/** The option values of a query, for strict writes; undefined if they cannot be checked. */
export const offered: RequestContext['offered'] = async (ctx, owner, field) => {
  const setting = field['options'] as Setting
  if (isMap(setting) && setting['type'] === 'api') return undefined
  const subject = await subjectOf(ctx, owner, String(isMap(setting) ? setting['query'] : setting))
  const shown = subject && (await dynamic({ ctx, subject }, setting))
  return shown && shown.length < maxOptions ? new Set(shown.map(({ value }) => value)) : undefined
}

/**
 * Finds queries about the model itself. An owner such as `page://`, without an id, is not created yet and has no data.
 */
const ownModelPattern = /\b(?:page|file|user|model)\b(?!\s*\()/

async function subjectOf(ctx: RequestContext, owner: string, source: string): Promise<Subject | undefined> {
  if (owner === 'site://') return { kind: 'site' }
  if (owner.endsWith('://')) return ownModelPattern.test(source) ? undefined : { kind: 'site' }
  const [page, file, user] = await Promise.all([
    owner.startsWith('page:') ? findPage(ctx, owner) : undefined,
    owner.startsWith('file:') ? findReferencedFile(ctx, owner) : undefined,
    owner.startsWith('user:') ? findUser(ctx, owner) : undefined,
  ])
  if (page) return { kind: 'page', row: page }
  if (file) return { kind: 'file', row: file }
  return user && { kind: 'user', row: user }
}

function itemsIn(result: QueryValue): { kind: 'item'; value: QueryValue }[] {
  return (Array.isArray(result) ? (result as QueryValue[]) : []).map(value => ({ kind: 'item', value }))
}
