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

/** The description of one field, as clients get it. */
export type FieldProps = Record<string, unknown>

/** The settings of a field for the form, with texts in the language of the caller. Without its value. */
async function propsOf(context: SectionContext, field: Field, depth = 0): Promise<FieldProps> {
  const type = fieldTypeOf(field)
  const props = {
    ...ownSettingsOf(field),
    ...(await textsOf(context, field)),
    ...(await typePropsOf(context, field, depth)),
    ...countsOf(field),
    disabled: field.disabled || !context.canUpdate,
    type: builtInTypeOf(field),
    ownType: type.own && field.type,
    hidden: builtInTypeOf(field) === 'hidden',
    private: field.private || undefined,
    saveable: type.saved,
    ...(depth > 0 ? { value: type.read(undefined, field) } : !isBlocks(field) && { strict: true }),
  }
  const omitted = new Set(omittedProps[builtInTypeOf(field)] ?? [])
  const shown = Object.entries(props).filter(
    ([name, value]) => value !== null && value !== undefined && !omitted.has(name),
  )
  const sorted = Object.fromEntries(shown.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  const signature = hash('md5', JSON.stringify(sorted))
  return Object.fromEntries(
    Object.entries({ ...sorted, signature }).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** Maximum depth of nested fields: blocks may contain themselves, so the description would not end. */
const maxDepth = 3

export async function propsOfFields(
  context: SectionContext,
  fields: Fields,
  depth = 0,
): Promise<Record<string, FieldProps>> {
  if (depth > maxDepth) return {}
  const entries = [...fields].map(async ([name, field]) => [name, await propsOf(context, field, depth)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** A list that needs an entry is required, and a required list needs an entry: forms may look at either. */
function countsOf(field: Field): FieldProps {
  if (!listTypes.has(builtInTypeOf(field))) return {}
  const { required, min } = field
  const minItems = typeof min === 'number' ? min : required ? 1 : undefined
  return { required: required || (minItems ?? 0) > 0, min: minItems }
}

const listTypes = new Set([
  'blocks',
  'checkboxes',
  'files',
  'layout',
  'multiselect',
  'pages',
  'structure',
  'tags',
  'users',
])

const isBlocks = ({ type }: Field) => type === 'blocks' || type === 'layout'

/** Props of inputs for running text: addresses and numbers have no use for them. */
const typingProps = ['counter', 'spellcheck']
/** Props that only fields with a value have. */
const inputProps = ['autofocus', 'disabled', 'required', 'translate']
/**
 * Settings that the field types have, but that are not sent: clients of the API that Quoin is compatible with do not
 * expect them in these types.
 */
const omittedProps: Readonly<Partial<Record<string, readonly string[]>>> = {
  email: ['counter'],
  files: ['autofocus'],
  headline: inputProps,
  info: inputProps,
  object: ['autofocus'],
  pages: ['autofocus'],
  slug: typingProps,
  structure: ['autofocus'],
  tel: typingProps,
  url: typingProps,
  users: ['autofocus'],
  writer: ['spellcheck'],
}

/** Settings that those clients expect only if they are true. */
const omittedIfFalse = new Set(['batch', 'numbered', 'prepend', 'pretty'])

/** The settings of the field as the blueprint has them. Nested fields are described separately. */
function ownSettingsOf(field: Field): FieldProps {
  const { fields: _, fieldsets: __, settings: ___, ...plain } = field as Field & Partial<NestedFields>
  const shown = Object.entries(plain).filter(([name, value]) => !(omittedIfFalse.has(name) && value === false))
  return {
    autofocus: false,
    default: defaultValues[builtInTypeOf(field)],
    ...Object.fromEntries(shown.filter(([, value]) => value !== undefined)),
  }
}

/** Default values by type, if the blueprint has none: a form of another client starts with them. */
const defaultValues: Readonly<Partial<Record<string, unknown>>> = {
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

/** Settings that can have placeholders, and a text for each language. */
const textSettings = ['after', 'before', 'empty', 'label', 'placeholder'] as const

async function textsOf(context: SectionContext, field: Field): Promise<FieldProps> {
  const entries = textSettings.map(async name => [name, await textOfSetting(context, field[name])] as const)
  return { ...Object.fromEntries(await Promise.all(entries)), help: await htmlOf(context, field.help) }
}

// ---- by type

type PropsOfType = (context: SectionContext, field: Field, depth: number) => FieldProps | Promise<FieldProps>

async function typePropsOf(context: SectionContext, field: Field, depth: number): Promise<FieldProps> {
  return propsByType[builtInTypeOf(field)]?.(context, field, depth) ?? {}
}

const withOptions = async (context: SectionContext, field: Field) => ({ options: await choicesOf(context, field) })

const propsByType: Readonly<Partial<Record<string, PropsOfType>>> = {
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
    settings: hasRowSettings(field) ? await fieldsetOf(context, (field as Field & NestedFields).settings, depth) : null,
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
async function pickerOf({ ctx }: SectionContext, field: Field): Promise<FieldProps> {
  const { info, text } = field
  const pickerFields = new Map([[field.name, field]])
  const references = Array.isArray(field.default) ? field.default : []
  const { [field.name]: items } = await ctx.pick(ctx, pickerFields, { [field.name]: references })
  return { default: items, info: textIn(ctx, info), text: textIn(ctx, text) }
}

/** Props of the time input of a date field. It has no label: the date has it. */
function timeOf(context: SectionContext, setting: unknown): Promise<FieldProps> {
  const settings = timeType.settings.parse(setting === true ? {} : setting)
  const base = {
    [fieldTypeKey]: timeType,
    type: 'time',
    name: 'time',
    width: '1/1',
    required: false,
    disabled: false,
    translate: true,
  }
  return propsOf(context, { ...settings, ...base } as Field, 1)
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
  propsOfFields(context, (field as Field & NestedFields).fields, depth + 1)

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
    const columnSettings = isMap(settings) ? settings : {}
    const label =
      (await textOfSetting(context, columnSettings['label'])) ?? (await textOfSetting(context, column.label))
    return [
      column.name,
      { ...(at === 0 && { mobile: true }), ...columnSettings, type: builtInTypeOf(column), label },
    ] as const
  })
  return Object.fromEntries(await Promise.all(shown))
}

const hasRowSettings = (field: Field) => (field as Field & NestedFields).settings.fields.size > 0

async function fieldsetsOf(context: SectionContext, field: Field, depth: number) {
  const { fieldsets } = field as Field & NestedFields
  const entries = [...fieldsets].map(
    async ([type, fieldset]) => [type, await fieldsetOf(context, fieldset, depth)] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}

async function fieldsetOf(context: SectionContext, fieldset: Fieldset, depth: number): Promise<FieldProps> {
  const {
    disabled,
    editable,
    group,
    icon = null,
    label,
    name,
    preview = null,
    translate,
    type,
    unset,
    wysiwyg,
  } = fieldset
  return {
    disabled,
    editable,
    ...(isMap(group) && { group: { label: await textOfSetting(context, group['label']), name: group['name'] } }),
    icon,
    label: await textOfSetting(context, label),
    name: await textOfSetting(context, name),
    preview,
    tabs: await tabsOf(context, fieldset, depth),
    translate,
    type,
    unset,
    wysiwyg,
  }
}

async function tabsOf(context: SectionContext, { tabs, fields }: Fieldset, depth: number): Promise<FieldProps> {
  const shown = (tabs as readonly FieldProps[]).map(async tab => {
    const names = Object.keys(isMap(tab['fields']) ? tab['fields'] : {}).map(name => name.toLowerCase())
    const tabFields = new Map(names.flatMap(name => (fields.has(name) ? [[name, fields.get(name)!] as const] : [])))
    const label = await textOfSetting(context, tab['label'])
    return [
      String(tab['name']),
      { fields: await propsOfFields(context, tabFields, depth + 1), label, name: tab['name'] },
    ] as const
  })
  return Object.fromEntries(await Promise.all(shown))
}
