import { z } from 'zod'
import { message, type TextKey, texts } from '../platform/texts.ts'
import type { ShownSettings } from './blueprints.ts'
import { extend, findBlueprintFile, type Library } from './extend.ts'
import { definition, type Field, type Fieldset, type FieldType, type NestedFields, type Text } from './fields/field.ts'
import { text } from './fields/settings.ts'
import { capital, checkSettings, didYouMean, reportUnknown } from './settings.ts'
import {
  isEntries,
  isList,
  type Node,
  type SourcePosition,
  plainEntries,
  quoteValue,
  type Settings,
  without,
} from './source.ts'

/** Input for compiling a parsed blueprint. */
export interface DefineContext extends Library {
  types: Readonly<Record<string, FieldType>>
  /** Block kinds that are compiled or being compiled; undefined for those with an invalid definition. */
  blocks: Map<string, Fieldset | undefined>
  /** How many more nodes this blueprint may have, and all blueprints together. */
  budget: { left: number; inAll: { left: number } }
}

/** The compiled fields of a form or of a part of it. */
export interface FieldList {
  shown: Record<string, ShownSettings>
  fields: Map<string, Field>
  broken: Set<string>
}

export const maxParts = 5000
export const maxTotal = 50_000
const maxDepth = 10

/** Limits depth and size: a blueprint can contain itself through `extends`, and would expand without end. */
export function isWithinLimits({ budget, report }: DefineContext, at: SourcePosition, depth: number): boolean {
  if (depth > maxDepth) report(at, 'this is nested too deeply; does it contain itself?')
  else if (--budget.left === -1) report(at, `this blueprint has more than ${maxParts} parts`)
  else if (budget.left >= 0 && --budget.inAll.left === -1) report(at, `the blueprints have more than ${maxTotal} parts`)
  return depth <= maxDepth && budget.left >= 0 && budget.inAll.left >= 0
}

// ---- lists of fields

/** `usedNames` has the names that the same form already uses. */
export function defineFields(
  context: DefineContext,
  node: Node | undefined,
  usedNames: Set<string>,
  depth = 0,
): FieldList {
  const list: FieldList = { shown: {}, fields: new Map(), broken: new Set() }
  addFields(context, node, usedNames, depth, list)
  return list
}

function addFields(
  context: DefineContext,
  node: Node | undefined,
  usedNames: Set<string>,
  depth: number,
  list: FieldList,
): void {
  if (!node || node.value === null || node.value === false) return
  if (!isEntries(node)) return context.report(node.at, 'fields must have names')
  for (const [name, entry] of node.value) {
    if (entry.value === false) continue
    if (!isWithinLimits(context, entry.at, depth)) {
      list.broken.add(name.toLowerCase())
      continue
    }
    const settings = extend(context, entry)
    if (settings?.value.get('type')?.value === 'group') {
      addFields(context, settings.value.get('fields'), usedNames, depth + 1, list)
    } else {
      addField(context, { name, at: entry.at, settings, depth }, usedNames, list)
    }
  }
}

interface FieldDefinition {
  name: string
  at: SourcePosition
  settings: Settings | undefined
  depth: number
}

/**
 * A field with an invalid definition is shown as a note. Its name goes to `broken`, so that its stored value is not
 * lost.
 */
function addField(context: DefineContext, entry: FieldDefinition, usedNames: Set<string>, list: FieldList): void {
  const key = entry.name.toLowerCase()
  const { report, heard } = listening(context)
  const isFirst = !usedNames.has(key)
  usedNames.add(key)
  if (!isFirst) report(entry.at, `there is already a field "${entry.name}"; only the first one can be filled in`)
  const defined = isFirst ? defineField({ ...context, report }, entry) : undefined
  if (defined) list.fields.set(key, defined.field)
  else if (isFirst) list.broken.add(key)
  if (!Object.hasOwn(list.shown, entry.name)) {
    list.shown[entry.name] = defined?.shown ?? errorField(entry.name, heard() ?? 'This field is described wrongly.')
  }
}

function listening({ report }: DefineContext) {
  let first: string | undefined
  return {
    heard: () => first,
    report: (at: SourcePosition, problem: string) => {
      first ??= capital(problem)
      report(at, problem)
    },
  }
}

export function errorField(name: string, problem: string): { name: string; type: string } & ShownSettings {
  return { label: message('blueprint.error'), name, text: problem, theme: 'negative', type: 'info', width: '1/1' }
}

// ---- one field

const fieldName = /^(?!constructor$|prototype$)[a-z0-9][\w-]*$/i

/** Settings that every field accepts. A field type may define some of them more strictly. */
const common = z.object({
  label: text().optional(),
  help: text().optional(),
  width: z
    .string()
    .regex(/^\d{1,2}\/\d{1,2}$/)
    .default('1/1'),
  required: z.boolean().default(false),
  disabled: z.boolean().default(false),
  translate: z.boolean().default(true),
  private: z.boolean().default(false),
  default: z.unknown().optional(),
  when: z.record(z.string(), z.unknown()).optional(),
})
export const everyField = ['type', 'name', ...Object.keys(common.shape)]
/** Settings that a field works without: an invalid one is reported and left out. */
const decoration = new Set(['label', 'help', 'width', 'icon', 'placeholder', 'before', 'after', 'autofocus'])

const mayBeInvalid = (setting: string) => decoration.has(setting)

function defineField(
  context: DefineContext,
  { name, at, settings, depth }: FieldDefinition,
): { field: Field; shown: ShownSettings } | undefined {
  const { types, report } = context
  if (!settings) return undefined
  if (!fieldName.test(name)) {
    report(at, `"${name}" cannot be the name of a field; use letters, digits, - and _`)
    return undefined
  }
  const named = settings.value.get('type') ?? { at, value: name }
  const typeName = quoteValue(named)
  if (!Object.hasOwn(types, typeName)) {
    report(named.at, `there is no field type "${typeName}"${didYouMean(typeName, Object.keys(types))}`)
    return undefined
  }
  const type = types[typeName]!
  const { nested } = type
  const ofType = type.settings.shape
  reportUnknown(settings, [...everyField, ...Object.keys(ofType), ...nested], report)
  const shared = checkSettings(common, without(settings, Object.keys(ofType)), report, mayBeInvalid)
  const own = checkSettings(type.settings, settings, report, mayBeInvalid)
  const inner = defineNested(context, settings, nested, depth)
  if (!shared || !own) return undefined
  const label = shared.label ?? capital(name)
  const inside = privateInside(inner.nested)
  if (inside !== undefined && !shared.private)
    report(at, `the field "${inside}" in it is private, so the whole of "${name}" is; make "${name}" private, or none`)
  return {
    field: {
      label,
      ...shared,
      ...own,
      ...inner.nested,
      private: shared.private || inside !== undefined,
      name: name.toLowerCase(),
      type: typeName,
      [definition]: type,
    } as Field,
    shown: { width: '1/1', label, type: typeName, ...plainEntries(settings.value), ...inner.shown, name },
  }
}

// ---- nested fields

/** The name of a private field inside of another one: parts of a value cannot be hidden from filters and search. */
function privateInside({ fields, fieldsets, settings }: Partial<NestedFields>): string | undefined {
  const all = [fields, settings?.fields, ...(fieldsets?.values() ?? []).map(set => set.fields)]
  for (const form of all) for (const [name, field] of form ?? []) if (field.private) return name
  return undefined
}

function defineNested(
  context: DefineContext,
  settings: Settings,
  keys: readonly (keyof NestedFields)[],
  depth: number,
) {
  const nested: Partial<NestedFields> = {}
  const shown: Record<string, ShownSettings> = {}
  for (const key of keys) {
    const node = settings.value.get(key)
    if (key === 'fields') {
      const list = defineFields(context, node, new Set(), depth + 1)
      nested.fields = list.fields
      shown['fields'] = list.shown
    } else if (key === 'fieldsets') {
      nested.fieldsets = defineFieldsets(context, node, settings.at, depth + 1)
    } else {
      const inner = node && extend(context, node)
      const settled = inner && !inner.partial ? inner : { at: settings.at, value: new Map() }
      nested.settings = defineFieldset(context, 'settings', settled, depth + 1)
    }
  }
  return { nested, shown }
}

/** The block kinds of a field that names none. */
const defaultBlocks = [
  'code', 'gallery', 'heading', 'image', 'line', 'list', 'markdown', 'quote', 'text', 'video', 'table',
] // prettier-ignore

/**
 * Block kinds by type: a list of names, or a map that defines kinds or turns them on and off. Groups are flattened.
 * Kinds with an invalid definition are left out; stored blocks of an unknown kind stay unchanged.
 */
function defineFieldsets(
  context: DefineContext,
  node: Node | undefined,
  at: SourcePosition,
  depth: number,
): Map<string, Fieldset> {
  const sets = new Map<string, Fieldset>()
  const defaults: Node = { at, value: defaultBlocks.map(type => ({ at, value: type })) }
  addFieldsets(context, node && node.value !== null ? node : defaults, depth, sets)
  return sets
}

function addFieldsets(
  context: DefineContext,
  node: Node,
  depth: number,
  sets: Map<string, Fieldset>,
  group?: ShownSettings,
): void {
  if (!isEntries(node) && !isList(node)) {
    return context.report(node.at, '"fieldsets" must be a list of blocks, or a group of settings for each of them')
  }
  const entries = isEntries(node) ? [...node.value] : node.value.map(item => [quoteValue(item), on(item)] as const)
  for (const [name, entry] of entries) {
    if (entry.value === false || !isWithinLimits(context, entry.at, depth)) continue
    const type = typeOf(name, entry)
    if (type === 'group') addGroup(context, name, entry, depth, sets)
    else if (sets.has(type)) context.report(entry.at, `there is already a block "${type}"`)
    else {
      const set =
        entry.value === true || entry.value === null
          ? findBlock(context, type, entry.at)
          : ownBlock(context, type, byName(context, entry), depth)
      if (set) sets.set(type, group ? { ...set, group } : set)
    }
  }
}

const on = ({ at }: Node): Node => ({ at, value: true })

/** `intro: text` is the block `text` under another type name. */
const byName = (context: DefineContext, { at, value }: Node): Node => ({
  at,
  value: typeof value === 'string' && isKnown(context, value) ? blockName(value) : value,
})

function typeOf(name: string, entry: Node): string {
  const type = isEntries(entry) ? entry.value.get('type') : undefined
  return type ? quoteValue(type) : name
}

function addGroup(context: DefineContext, name: string, entry: Node, depth: number, sets: Map<string, Fieldset>): void {
  const settings = extend(context, entry)
  const inner = settings?.value.get('fieldsets')
  if (!settings || !inner) return
  const group = { label: capital(name), ...plainEntries(without(settings, ['fieldsets']).value), name }
  addFieldsets(context, inner, depth + 1, sets, group)
}

/** A block that is defined where it is used: from scratch, or as a known block with other settings. */
function ownBlock(context: DefineContext, type: string, entry: Node, depth: number): Fieldset | undefined {
  const isWhole = !isEntries(entry) || ['extends', 'fields', 'tabs'].some(name => entry.value.has(name))
  const parent: Node = { at: entry.at, value: blockName(type) }
  const whole =
    isWhole || !isKnown(context, type) ? entry : { at: entry.at, value: new Map([...entry.value, ['extends', parent]]) }
  const settings = extend(context, whole)
  return settings && !settings.partial ? defineFieldset(context, type, settings, depth) : undefined
}

const blockName = (type: string) => `blocks/${type}`

const isKnown = ({ files, builtIn }: DefineContext, type: string) =>
  files.has(blockName(type)) || builtIn.has(blockName(type))

/** The block of this name, from the blueprints of the site or built in. */
export function findBlock(context: DefineContext, type: string, at: SourcePosition): Fieldset | undefined {
  const { blocks, report } = context
  if (!isKnown(context, type)) report(at, `there is no block "${type}": write blueprints/${blockName(type)}.yml`)
  else if (!blocks.has(type)) {
    const settings = findBlueprintFile(context, blockName(type))
    const set = settings && !settings.partial ? startFieldset(context, type, settings) : undefined
    blocks.set(type, set) // before its fields are compiled: a block may contain itself
    if (set) addTabs(context, set, settings!, 0)
  }
  return blocks.get(type)
}

const fieldset = z.object({
  name: text().optional(),
  label: text().optional(),
  icon: z.string().optional(),
  preview: z.union([z.string(), z.boolean(), z.record(z.string(), z.unknown())]).optional(),
  image: z.unknown().optional(),
  disabled: z.boolean().default(false),
  editable: z.boolean().default(true),
  open: z.boolean().optional(),
  translate: z.boolean().default(true),
  unset: z.boolean().default(false),
  wysiwyg: z.union([z.boolean(), z.string()]).default(false),
})
const everyFieldset = ['type', 'fields', 'tabs', ...Object.keys(fieldset.shape)]

/** A fieldset whose fields are still being compiled. */
interface StartedFieldset extends Fieldset {
  fields: Map<string, Field>
  broken: Set<string>
  tabs: ShownSettings[]
}

function defineFieldset(context: DefineContext, type: string, settings: Settings, depth: number): Fieldset {
  const set = startFieldset(context, type, settings)
  addTabs(context, set, settings, depth)
  return set
}

function startFieldset({ report }: DefineContext, type: string, settings: Settings): StartedFieldset {
  reportUnknown(settings, everyFieldset, report)
  const checked = checkSettings(fieldset, settings, report, () => true) ?? fieldset.parse({})
  return { ...checked, type, name: checked.name ?? nameOf(type), fields: new Map(), broken: new Set(), tabs: [] }
}

/** Built-in blocks have translated names. */
function nameOf(type: string): Text {
  const key = `block.${type}`
  return Object.hasOwn(texts, key) ? message(key as BlockName) : capital(type)
}

type BlockName = Extract<TextKey, `block.${string}`>

function addTabs(context: DefineContext, set: StartedFieldset, settings: Settings, depth: number): void {
  const usedNames = new Set<string>()
  for (const [name, tab] of tabsOf(context, settings)) {
    const list = defineFields(context, tab.value.get('fields'), usedNames, depth)
    for (const [key, field] of list.fields) set.fields.set(key, field)
    for (const key of list.broken) set.broken.add(key)
    set.tabs.push({ label: capital(name), ...plainEntries(tab.value), name, fields: list.shown })
  }
}

/** Fields without tabs become a single tab. */
function* tabsOf(context: DefineContext, settings: Settings): Generator<[name: string, tab: Settings]> {
  const [tabs, fields] = [settings.value.get('tabs'), settings.value.get('fields')]
  if (!isEntries(tabs)) {
    if (fields) yield ['content', { at: settings.at, value: new Map([['fields', fields]]) }]
    return
  }
  for (const [name, node] of tabs.value) {
    const tab = node.value === false ? undefined : extend(context, node)
    if (tab) yield [name, tab]
  }
}
