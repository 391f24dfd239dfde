import { hash } from 'node:crypto'
import { stepOf, stepOfDate } from '../../blueprints/fields/dates.ts'
import {
  fieldTypeKey,
  type Field,
  type Fields,
  type Fieldset,
  builtInTypeOf,
  type NestedFields,
  fieldTypeOf,
} from '../../blueprints/fields/field.ts'
import { time as timeType } from '../../blueprints/fields/time.ts'
import { parseDate, parseTime, showDate, showTime } from '../../blueprints/fields/moments.ts'
import { isMap } from '../../blueprints/fields/stored.ts'
import { defaultFiles } from '../pickers/choices.ts'
import { textIn } from '../pickers/texts.ts'
import { uploadsOf } from './accept.ts'
import { parentOf } from './list.ts'
import { choicesOf } from './options.ts'
import { apiUrlOf, htmlOf, textOfSetting, type SectionContext } from './context.ts'

export type Props = Record<string, unknown>

/** The settings of a field for the form, with texts in the language of the caller. Without its value. */
async function propsOf(context: SectionContext, field: Field, depth = 0): Promise<Props> {
  const type = fieldTypeOf(field)
  const props = {
    ...plainOf(field),
    ...(await textsOf(context, field)),
    ...(await ofType(context, field, depth)),
    ...countsOf(field),
    disabled: field.disabled || !context.canUpdate,
    type: builtInTypeOf(field),
    ownType: type.own && field.type,
    hidden: builtInTypeOf(field) === 'hidden',
    private: field.private || undefined,
    saveable: type.saved,
    ...(depth > 0 ? { value: type.read(undefined, field) } : !isBlocks(field) && { strict: true }),
  }
  const left = new Set(missing[builtInTypeOf(field)] ?? [])
  const shown = Object.entries(props).filter(
    ([name, value]) => value !== null && value !== undefined && !left.has(name),
  )
  const sorted = Object.fromEntries(shown.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  const signature = hash('md5', JSON.stringify(sorted))
  return Object.fromEntries(
    Object.entries({ ...sorted, signature }).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** Maximum nesting: blocks may contain themselves. */
const maxDepth = 3

export async function allProps(context: SectionContext, fields: Fields, depth = 0): Promise<Record<string, Props>> {
  if (depth > maxDepth) return {}
  const entries = [...fields].map(async ([name, field]) => [name, await propsOf(context, field, depth)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** For lists, `min` > 0 implies `required`, and `required` implies `min: 1`. */
function countsOf(field: Field): Props {
  if (!lists.has(builtInTypeOf(field))) return {}
  const { required, min } = field
  const minItems = typeof min === 'number' ? min : required ? 1 : undefined
  return { required: required || (minItems ?? 0) > 0, min: minItems }
}

const lists = new Set(['blocks', 'checkboxes', 'files', 'layout', 'multiselect', 'pages', 'structure', 'tags', 'users'])

const isBlocks = ({ type }: Field) => type === 'blocks' || type === 'layout'

const typed = ['counter', 'spellcheck']
const passive = ['autofocus', 'disabled', 'required', 'translate']
const missing: Readonly<Partial<Record<string, readonly string[]>>> = {
  email: ['counter'],
  files: ['autofocus'],
  headline: passive,
  info: passive,
  object: ['autofocus'],
  pages: ['autofocus'],
  slug: typed,
  structure: ['autofocus'],
  tel: typed,
  url: typed,
  users: ['autofocus'],
  writer: ['spellcheck'],
}

/** Settings that are omitted if false. */
const omittedIfFalse = new Set(['batch', 'numbered', 'prepend', 'pretty'])

function plainOf(field: Field): Props {
  const { fields: _, fieldsets: __, settings: ___, ...plain } = field as Field & Partial<NestedFields>
  const shown = Object.entries(plain).filter(([name, value]) => !(omittedIfFalse.has(name) && value === false))
  return {
    autofocus: false,
    default: empty[builtInTypeOf(field)],
    ...Object.fromEntries(shown.filter(([, value]) => value !== undefined)),
  }
}

/** Default values by type, if the blueprint has none. */
const empty: Readonly<Partial<Record<string, unknown>>> = {
  checkboxes: [],
  color: '',
  date: '',
  files: [],
  multiselect: [],
  number: '',
  object: '',
  pages: [],
  range: '',
  structure: [],
  tags: [],
  textarea: '',
  time: '',
  toggle: false,
  users: [],
}

const texts = ['after', 'before', 'empty', 'label', 'placeholder'] as const

async function textsOf(context: SectionContext, field: Field): Promise<Props> {
  const entries = texts.map(async name => [name, await textOfSetting(context, field[name])] as const)
  return { ...Object.fromEntries(await Promise.all(entries)), help: await htmlOf(context, field.help) }
}

// ---- by type

type Make = (context: SectionContext, field: Field, depth: number) => Props | Promise<Props>

async function ofType(context: SectionContext, field: Field, depth: number): Promise<Props> {
  const make = byType[builtInTypeOf(field)]
  return make ? make(context, field, depth) : {}
}

const withOptions = async (context: SectionContext, field: Field) => ({ options: await choicesOf(context, field) })

const byType: Readonly<Partial<Record<string, Make>>> = {
  blocks: async (context, field, depth) => ({ fieldsets: await fieldsetsOf(context, field, depth) }),
  checkboxes: withOptions,
  color: async (context, field) => ({
    options: (await choicesOf(context, field)).map(({ value, text }) => ({ value, text })),
  }),
  date: async (context, { time, step, format, min, max }) => ({
    time: time === false ? false : await timeOf(context, time),
    format: format ?? (time === false ? 'Y-m-d' : 'Y-m-d H:i:s'),
    step: stepOfDate(step as never, time as never),
    min: dateOf(min),
    max: dateOf(max),
  }),
  files: async (context, field) => {
    const { query, uploads } = field
    const parent = (await parentOf(context, field)) ?? context.subject
    return {
      ...(await pickerOf(context, field)),
      parent: apiUrlOf(parent),
      query: query ?? defaultFiles[parent.kind],
      uploads: uploadsOf(context, uploads),
    }
  },
  email: (_, { placeholder }) => (placeholder === undefined ? { placeholder: 'mail@example.com' } : {}),
  info: async (context, field) => ({ text: await htmlOf(context, field['text']) }),
  layout: async (context, field, depth) => ({
    fieldsets: await fieldsetsOf(context, field, depth),
    settings: hasFields(field) ? await fieldsetOf(context, (field as Field & NestedFields).settings, depth) : null,
  }),
  multiselect: withOptions,
  object: async (context, field, depth) => ({ fields: await innerFields(context, field, depth) }),
  pages: pickerOf,
  radio: withOptions,
  select: async (context, field) => ({
    ...(await withOptions(context, field)),
    // Clients expect it only where a value that is no option can be stored.
    accept: field['accept'] === 'all' ? 'all' : undefined,
  }),
  structure: async (context, field, depth) => ({
    fields: await innerFields(context, field, depth),
    columns: await columnsOf(context, field),
  }),
  tags: withOptions,
  text: (_, { converter, default: value = '' }) => (converter === undefined ? {} : { default: value }),
  textarea: (context, { files, uploads }) => ({
    files: typeof files === 'string' ? { query: files } : files,
    uploads: uploadsOf(context, uploads),
  }),
  time: (_, { step, display, notation, min, max }) => ({
    display: display ?? (notation === 12 ? 'hh:mm a' : 'HH:mm'),
    step: stepOf(step as never, { unit: 'minute', size: 5 }),
    min: todayAt(min),
    max: todayAt(max),
  }),
  toggle: async (context, { text }) => ({
    text: Array.isArray(text)
      ? await Promise.all(text.map(one => textOfSetting(context, one)))
      : await textOfSetting(context, text),
  }),
  toggles: withOptions,
  users: pickerOf,
  url: (_, { placeholder }) => (placeholder === undefined ? { placeholder: 'https://example.com' } : {}),
}

/** Props of a picker: texts with unfilled placeholders, and the default value resolved to list entries. */
async function pickerOf({ ctx }: SectionContext, field: Field): Promise<Props> {
  const { info, text } = field
  const pickerFields = new Map([[field.name, field]])
  const rows = Array.isArray(field.default) ? field.default : []
  const { [field.name]: shown } = await ctx.pick(ctx, pickerFields, { [field.name]: rows })
  return { default: shown, info: textIn(ctx, info), text: textIn(ctx, text) }
}

/** Props of the time input of a date field. */
function timeOf(context: SectionContext, setting: unknown): Promise<Props> {
  const settings = timeType.settings.parse(setting === true ? {} : setting)
  const base = {
    [fieldTypeKey]: timeType,
    type: 'time',
    name: 'time',
    label: '',
    width: '1/1',
    required: false,
    disabled: false,
    translate: true,
  }
  const { label: _, ...field } = { ...settings, ...base }
  return propsOf(context, field as Field, 1)
}

function todayAt(limit: unknown): string | undefined {
  const moment = typeof limit === 'string' ? parseTime(limit.trim()) : undefined
  return moment === undefined ? undefined : `${new Date().toISOString().slice(0, 10)} ${showTime(moment)}+00:00`
}

function dateOf(limit: unknown): string | undefined {
  const moment = typeof limit === 'string' ? parseDate(limit.trim()) : undefined
  return moment === undefined ? undefined : `${showDate(moment)}+00:00`
}

// ---- nested fields

const innerFields = (context: SectionContext, field: Field, depth: number) =>
  allProps(context, (field as Field & NestedFields).fields, depth + 1)

/** The columns of a structure: those named by the blueprint, or all. The first one is also shown on small screens. */
async function columnsOf(context: SectionContext, field: Field) {
  const { fields } = field as Field & NestedFields
  const named = isMap(field['columns'])
    ? Object.entries(field['columns'])
    : [...fields.keys()].map(name => [name, {}] as const)
  const columns = named.flatMap(([name, settings]) => {
    const column = fields.get(name.toLowerCase())
    return column && builtInTypeOf(column) !== 'hidden' && fieldTypeOf(column).saved ? [{ column, settings }] : []
  })
  const shown = columns.map(async ({ column, settings }, at) => {
    const own = isMap(settings) ? settings : {}
    const label = (await textOfSetting(context, own['label'])) ?? (await textOfSetting(context, column.label))
    return [column.name, { ...(at === 0 && { mobile: true }), ...own, type: builtInTypeOf(column), label }] as const
  })
  return Object.fromEntries(await Promise.all(shown))
}

const hasFields = (field: Field) => (field as Field & NestedFields).settings.fields.size > 0

async function fieldsetsOf(context: SectionContext, field: Field, depth: number) {
  const { fieldsets } = field as Field & NestedFields
  const entries = [...fieldsets].map(async ([type, set]) => [type, await fieldsetOf(context, set, depth)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

async function fieldsetOf(context: SectionContext, set: Fieldset, depth: number): Promise<Props> {
  const { disabled, editable, group, icon = null, label, name, preview = null, translate, type, unset, wysiwyg } = set
  return {
    disabled,
    editable,
    ...(isMap(group) && { group: { label: await textOfSetting(context, group['label']), name: group['name'] } }),
    icon,
    label: await textOfSetting(context, label),
    name: await textOfSetting(context, name),
    preview,
    tabs: await tabsOf(context, set, depth),
    translate,
    type,
    unset,
    wysiwyg,
  }
}

async function tabsOf(context: SectionContext, { tabs, fields }: Fieldset, depth: number): Promise<Props> {
  const shown = (tabs as readonly Props[]).map(async tab => {
    const names = Object.keys(isMap(tab['fields']) ? tab['fields'] : {}).map(name => name.toLowerCase())
    const own = new Map(names.flatMap(name => (fields.has(name) ? [[name, fields.get(name)!] as const] : [])))
    const label = await textOfSetting(context, tab['label'])
    return [String(tab['name']), { fields: await allProps(context, own, depth + 1), label, name: tab['name'] }] as const
  })
  return Object.fromEntries(await Promise.all(shown))
}
