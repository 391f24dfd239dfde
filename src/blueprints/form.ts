import { z } from 'zod'
import { message } from '../platform/texts.ts'
import type { Column, Form, Section, ShownSettings, Tab } from './blueprints.ts'
import { parseFields, errorField } from './parse-fields.ts'
import { type ParseContext, isWithinLimits } from './parse-context.ts'
import { extend } from './extend.ts'
import { textSetting } from './fields/settings.ts'
import type { Field, BlueprintText } from './fields/field.ts'
import { sectionTypes } from './sections.ts'
import { capital, checkSettings, oneOf, reportUnknown } from './settings.ts'
import {
  isEntries,
  isList,
  type YamlNode,
  plainEntries,
  quoteValue,
  type BlueprintSettings,
  without,
} from './source.ts'

/** The form of a blueprint while it is being compiled. */
interface Draft extends Form {
  context: ParseContext
  sections: Map<string, Section>
  fields: Map<string, Field>
  broken: Set<string>
  taken: Set<string>
}

/** From the outermost to the innermost. A blueprint can start at any level; the outer levels are added around it. */
const levels = ['tabs', 'columns', 'sections', 'fields'] as const

/** Compiles tabs, columns, sections and fields, from whichever level the blueprint starts at. */
export function parseForm(context: ParseContext, blueprint: BlueprintSettings): Form {
  const draft: Draft = {
    context,
    tabs: [],
    sections: new Map(),
    fields: new Map(),
    broken: new Set(),
    taken: new Set(),
  }
  const { sections, fields, broken } = draft
  return { tabs: tabsOf(draft, blueprint), sections, fields, broken }
}

/** The innermost level that the settings have. Other levels next to it are ignored, which is reported. */
function innermost({ context }: Draft, settings: BlueprintSettings): (typeof levels)[number] | undefined {
  const [inner, ...others] = levels.filter(level => (settings.value.get(level)?.value ?? null) !== null).toReversed()
  for (const other of others) {
    const { at } = settings.value.get(other)!
    context.report(at, `"${other}" does not count here, because there is "${inner}" beside it`)
  }
  return inner
}

// ---- tabs

function tabsOf(draft: Draft, blueprint: BlueprintSettings): Tab[] {
  const level = innermost(draft, blueprint)
  if (level === undefined) return []
  if (level !== 'tabs') return [tabOf(draft, 'main', blueprint, {})]
  return entriesOf(draft, blueprint.value.get('tabs')!, 'tabs').map(([name, tab]) =>
    tabOf(draft, name, tab, plainEntries(without(tab, levels).value)),
  )
}

function tabOf(draft: Draft, name: string, settings: BlueprintSettings, own: ShownSettings): Tab {
  const { icon = null, label } = own
  return {
    ...own,
    label: label === undefined || label === null ? capital(name) : checkedLabel(draft, settings, name),
    icon: typeof icon === 'string' ? icon : null,
    name,
    columns: columnsOf(draft, name, settings),
  }
}

function checkedLabel({ context }: Draft, settings: BlueprintSettings, name: string): BlueprintText {
  return checkSettings(labelled, settings, context.report)?.label ?? capital(name)
}

const labelled = z.object({ label: textSetting() })

// ---- columns

function columnsOf(draft: Draft, tab: string, settings: BlueprintSettings): Tab['columns'] {
  const level = innermost(draft, settings)
  if (level !== 'columns') {
    const sections = level === undefined ? [] : sectionsOf(draft, settings, `${tab}-fields`)
    return [columnOf({ width: '1/1' }, sections, tab, '0')]
  }
  const node = settings.value.get('columns')!
  const columns = entriesOf(draft, node, 'columns').map(([key, column]) => {
    reportUnknown(column, ['width', 'sticky', 'sections', 'fields'], draft.context.report)
    const own = plainEntries(without(column, ['sections', 'fields']).value)
    return [key, columnOf(own, sectionsOf(draft, column, `${tab}-col-${key}-fields`), tab, key)] as const
  })
  return isList(node) ? columns.map(([, column]) => column) : Object.fromEntries(columns)
}

function columnOf(own: ShownSettings, sections: [string, Section][], tab: string, key: string): Column {
  const width = typeof own['width'] === 'string' ? own['width'] : '1/1'
  const name = `${tab}-info-${key}`
  const empty = {
    label: message('blueprint.column', { width }),
    name,
    text: message('blueprint.column.empty'),
    type: 'info',
  }
  return { ...own, width, sections: Object.fromEntries(sections.length === 0 ? [[name, empty]] : sections) }
}

// ---- sections

function sectionsOf(draft: Draft, settings: BlueprintSettings, fieldsName: string): [string, Section][] {
  const level = innermost(draft, settings)
  const node = level === undefined ? undefined : settings.value.get(level)
  if (level === 'fields')
    return [[fieldsName, fieldsSection(draft, fieldsName, { at: settings.at, value: new Map() }, node)]]
  if (level !== 'sections') return []
  return entriesOf(draft, node!, 'sections').map(([name, section]) => [name, sectionOf(draft, name, section)])
}

function sectionOf(draft: Draft, name: string, settings: BlueprintSettings): Section {
  const { context } = draft
  const named = settings.value.get('type') ?? { at: settings.at, value: name }
  const type = quoteValue(named)
  const schema = Object.hasOwn(sectionTypes, type) ? sectionTypes[type] : undefined
  if (!schema) {
    const problem = `there is no section type "${type}"; it can be ${oneOf(Object.keys(sectionTypes))}`
    context.report(named.at, problem)
    return addSection(draft, settings, errorField(name, capital(problem)))
  }
  reportUnknown(settings, ['type', 'name', ...Object.keys(schema.shape)], context.report)
  const wrong: string[] = []
  checkSettings(schema, settings, context.report, setting => wrong.push(setting) > 0)
  const own = without(settings, wrong)
  if (type === 'fields') return fieldsSection(draft, name, without(own, ['fields']), settings.value.get('fields'))
  return addSection(draft, settings, { ...plainEntries(own.value), name, type })
}

function fieldsSection(draft: Draft, name: string, own: BlueprintSettings, node: YamlNode | undefined): Section {
  const list = parseFields(draft.context, node, draft.taken)
  for (const [key, field] of list.fields) draft.fields.set(key, field)
  for (const key of list.broken) draft.broken.add(key)
  const info = `${name}-info`
  const nothing = {
    [info]: {
      label: message('blueprint.fields'),
      name: info,
      text: message('blueprint.fields.empty'),
      type: 'info',
      width: '1/1',
    },
  }
  const fields = Object.keys(list.shown).length === 0 ? nothing : list.shown
  return addSection(draft, own, { ...plainEntries(own.value), name, type: 'fields', fields })
}

function addSection({ context, sections }: Draft, { at }: BlueprintSettings, section: Section): Section {
  if (sections.has(section.name)) context.report(at, `there is already a section "${section.name}"`)
  else sections.set(section.name, section)
  return section
}

// ---- entries

/** The entries of a map or list, merged with everything they extend; `false` removes an entry. */
function entriesOf({ context }: Draft, node: YamlNode, what: string): [name: string, settings: BlueprintSettings][] {
  const entries = isList(node)
    ? node.value.map((item, index) => [String(index), item] as const)
    : isEntries(node)
      ? [...node.value]
      : undefined
  if (!entries) {
    context.report(node.at, `"${what}" must be a group of settings`)
    return []
  }
  return entries.flatMap(([name, entry]) => {
    if (entry.value === false || !isWithinLimits(context, entry.at, 0)) return []
    const settings = extend(context, entry)
    return settings ? [[name, settings] as [string, BlueprintSettings]] : []
  })
}
