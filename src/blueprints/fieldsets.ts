import { z } from 'zod'
import { message, type TextKey, texts } from '../platform/texts.ts'
import type { ShownSettings } from './blueprints.ts'
import { type ParseContext, isWithinLimits } from './parse-context.ts'
import { extend, findBlueprintFile } from './extend.ts'
import type { Field, Fieldset, BlueprintText } from './fields/field.ts'
import { textSetting } from './fields/settings.ts'
import { capital, checkSettings, reportUnknown } from './settings.ts'
import {
  isEntries,
  isList,
  type YamlNode,
  plainEntries,
  quoteValue,
  type BlueprintSettings,
  type SourcePosition,
  without,
} from './source.ts'

/** The block types of a field that names none. */
const defaultBlocks = [
  'code', 'gallery', 'heading', 'image', 'line', 'list', 'markdown', 'quote', 'text', 'video', 'table',
] // prettier-ignore

/**
 * The block types of a field, by name. They are written as a list of names, or as a map that defines types or turns them on
 * and off. Groups are flattened. Types with an invalid definition are left out; stored blocks of an unknown type stay unchanged.
 */
export function parseFieldsets(
  context: ParseContext,
  node: YamlNode | undefined,
  at: SourcePosition,
  depth: number,
): Map<string, Fieldset> {
  const sets = new Map<string, Fieldset>()
  const defaults: YamlNode = { at, value: defaultBlocks.map(type => ({ at, value: type })) }
  addFieldsets(context, node && node.value !== null ? node : defaults, depth, sets)
  return sets
}

function addFieldsets(
  context: ParseContext,
  node: YamlNode,
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

const on = ({ at }: YamlNode): YamlNode => ({ at, value: true })

/** `intro: text` is the block `text` under another type name. */
const byName = (context: ParseContext, { at, value }: YamlNode): YamlNode => ({
  at,
  value: typeof value === 'string' && isKnown(context, value) ? blockName(value) : value,
})

function typeOf(name: string, entry: YamlNode): string {
  const type = isEntries(entry) ? entry.value.get('type') : undefined
  return type ? quoteValue(type) : name
}

function addGroup(
  context: ParseContext,
  name: string,
  entry: YamlNode,
  depth: number,
  sets: Map<string, Fieldset>,
): void {
  const settings = extend(context, entry)
  const inner = settings?.value.get('fieldsets')
  if (!settings || !inner) return
  const group = { label: capital(name), ...plainEntries(without(settings, ['fieldsets']).value), name }
  addFieldsets(context, inner, depth + 1, sets, group)
}

/** A block that is defined where it is used: from scratch, or as a known block with other settings. */
function ownBlock(context: ParseContext, type: string, entry: YamlNode, depth: number): Fieldset | undefined {
  const isWhole = !isEntries(entry) || ['extends', 'fields', 'tabs'].some(name => entry.value.has(name))
  const parent: YamlNode = { at: entry.at, value: blockName(type) }
  const whole =
    isWhole || !isKnown(context, type) ? entry : { at: entry.at, value: new Map([...entry.value, ['extends', parent]]) }
  const settings = extend(context, whole)
  return settings && !settings.partial ? parseFieldset(context, type, settings, depth) : undefined
}

const blockName = (type: string) => `blocks/${type}`

const isKnown = ({ files, builtIn }: ParseContext, type: string) =>
  files.has(blockName(type)) || builtIn.has(blockName(type))

/** The block of this name, from the blueprints of the site or built in. */
export function findBlock(context: ParseContext, type: string, at: SourcePosition): Fieldset | undefined {
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
  name: textSetting().optional(),
  label: textSetting().optional(),
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

export function parseFieldset(
  context: ParseContext,
  type: string,
  settings: BlueprintSettings,
  depth: number,
): Fieldset {
  const set = startFieldset(context, type, settings)
  addTabs(context, set, settings, depth)
  return set
}

function startFieldset({ report }: ParseContext, type: string, settings: BlueprintSettings): StartedFieldset {
  reportUnknown(settings, everyFieldset, report)
  const checked = checkSettings(fieldset, settings, report, () => true) ?? fieldset.parse({})
  return { ...checked, type, name: checked.name ?? nameOf(type), fields: new Map(), broken: new Set(), tabs: [] }
}

/** Built-in blocks have translated names. */
function nameOf(type: string): BlueprintText {
  const key = `block.${type}`
  return Object.hasOwn(texts, key) ? message(key as BlockName) : capital(type)
}

type BlockName = Extract<TextKey, `block.${string}`>

function addTabs(context: ParseContext, set: StartedFieldset, settings: BlueprintSettings, depth: number): void {
  const usedNames = new Set<string>()
  for (const [name, tab] of tabsOf(context, settings)) {
    const list = context.parseFields(context, tab.value.get('fields'), usedNames, depth)
    for (const [key, field] of list.fields) set.fields.set(key, field)
    for (const key of list.broken) set.broken.add(key)
    set.tabs.push({ label: capital(name), ...plainEntries(tab.value), name, fields: list.shown })
  }
}

/** Fields without tabs become a single tab. */
function* tabsOf(
  context: ParseContext,
  settings: BlueprintSettings,
): Generator<[name: string, tab: BlueprintSettings]> {
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
