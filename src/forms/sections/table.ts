import type { Form, Section } from '../../blueprints/blueprints.ts'
import { builtInTypeOf } from '../../blueprints/fields/field.ts'
import { isMap } from '../../blueprints/fields/stored.ts'
import { capital } from '../../blueprints/settings.ts'
import { readContent, type StoredContent } from '../../content/content.ts'
import { textFor } from '../pickers/texts.ts'
import type { Subject } from '../query/scope.ts'
import { translate } from '../../platform/translations/translations.ts'
import type { ListColumn } from './view.ts'
import { textOfSetting, type SectionContext } from './context.ts'

const isTable = ({ layout }: Section) => layout === 'table'
const slim = 'var(--table-row-height)'

/** Column names that the table uses itself. */
const reservedColumns = new Set(['flag', 'image', 'info', 'title'])
const idOf = (name: string) => (reservedColumns.has(name) ? `${name}Cell` : name)

const ownColumns = ({ columns }: Section) =>
  Object.entries(isMap(columns) ? columns : {}).filter(([, column]) => column !== false)

/** The columns of a table; empty in other layouts. Cell types come from the blueprint of the first item. */
export async function columnsOf(
  context: SectionContext,
  section: Section,
  first?: Form,
): Promise<Record<string, ListColumn>> {
  if (!isTable(section)) return {}
  const { locale: language } = context.ctx
  const own = ownColumns(section).map(async ([name, column]) => {
    const settings = isMap(column) ? column : {}
    const label = (await textOfSetting(context, settings['label'])) ?? capital(name)
    const field = first?.fields.get(name.toLowerCase())
    const type = first && { type: field ? builtInTypeOf(field) : null }
    return [idOf(name), { ...type, ...settings, label, id: name }] as const
  })
  return {
    ...(section['image'] !== false && { image: { label: ' ', mobile: true, type: 'image', width: slim } }),
    title: { label: translate(language, 'section.table.title'), mobile: true, type: 'url' },
    ...(section['info'] !== undefined && { info: { label: translate(language, 'section.table.info'), type: 'text' } }),
    ...Object.fromEntries(await Promise.all(own)),
    ...(section.type === 'pages' && { flag: { label: ' ', mobile: true, type: 'flag', width: slim } }),
  }
}

/** The cells of one item. */
export async function cellsOf(
  context: SectionContext,
  section: Section,
  model: { subject: Subject; text: string; link: string; form: Form; owner: string; content: StoredContent },
): Promise<Record<string, unknown>> {
  if (!isTable(section)) return {}
  const columns = ownColumns(section)
  const values = await valuesOf(
    context,
    columns.map(([name]) => name.toLowerCase()),
    model,
  )
  const own = columns.map(async ([name, column]) => {
    const value = isMap(column) ? column['value'] : undefined
    return [
      idOf(name),
      (await textFor(context.ctx, value, model.subject)) ?? values[name.toLowerCase()] ?? null,
    ] as const
  })
  return {
    title: { text: model.text, href: model.link },
    ...Object.fromEntries(await Promise.all(own)),
    ...(section.type === 'pages' && { flag: null }), // the panel shows the status instead
  }
}

/** The values of these fields, typed as in the API: numbers, booleans, lists. */
async function valuesOf(
  { ctx }: SectionContext,
  names: readonly string[],
  { form, owner, content }: { form: Form; owner: string; content: StoredContent },
): Promise<Record<string, unknown>> {
  const fields = new Map(
    names.flatMap(name => (form.fields.has(name) ? [[name, form.fields.get(name)!] as const] : [])),
  )
  const stored = Object.fromEntries(
    names.flatMap(name => (Object.hasOwn(content, name) ? [[name, content[name]!]] : [])),
  )
  return ctx.pick(ctx, fields, await readContent({ ...form, fields }, stored), owner)
}
