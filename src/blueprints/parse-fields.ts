import { z } from 'zod'
import { message } from '../platform/texts.ts'
import type { ShownSettings } from './blueprints.ts'
import { type ParseContext, type FieldList, isWithinLimits } from './parse-context.ts'
import { extend } from './extend.ts'
import { fieldTypeKey, type Field, type NestedFields } from './fields/field.ts'
import { textSetting } from './fields/settings.ts'
import { parseFieldset, parseFieldsets } from './fieldsets.ts'
import { capital, checkSettings, didYouMean, reportUnknown } from './settings.ts'
import {
  isEntries,
  type YamlNode,
  type SourcePosition,
  plainEntries,
  quoteValue,
  type BlueprintSettings,
  without,
} from './source.ts'

// ---- lists of fields

/** `usedNames` has the names that the same form already uses. */
export function parseFields(
  context: ParseContext,
  node: YamlNode | undefined,
  usedNames: Set<string>,
  depth = 0,
): FieldList {
  const list: FieldList = { shown: {}, fields: new Map(), broken: new Set() }
  addFields(context, node, usedNames, depth, list)
  return list
}

function addFields(
  context: ParseContext,
  node: YamlNode | undefined,
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
  settings: BlueprintSettings | undefined
  depth: number
}

/**
 * A field with an invalid definition is shown as a note. Its name goes to `broken`, so that its stored value is not
 * lost.
 */
function addField(context: ParseContext, entry: FieldDefinition, usedNames: Set<string>, list: FieldList): void {
  const key = entry.name.toLowerCase()
  const { report, heard } = listening(context)
  const isFirst = !usedNames.has(key)
  usedNames.add(key)
  if (!isFirst) report(entry.at, `there is already a field "${entry.name}"; only the first one can be filled in`)
  const defined = isFirst ? parseField({ ...context, report }, entry) : undefined
  if (defined) list.fields.set(key, defined.field)
  else if (isFirst) list.broken.add(key)
  if (!Object.hasOwn(list.shown, entry.name)) {
    list.shown[entry.name] = defined?.shown ?? errorField(entry.name, heard() ?? 'This field is described wrongly.')
  }
}

function listening({ report }: ParseContext) {
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
  label: textSetting().optional(),
  help: textSetting().optional(),
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

const canBeInvalid = (setting: string) => decoration.has(setting)

function parseField(
  context: ParseContext,
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
  const shared = checkSettings(common, without(settings, Object.keys(ofType)), report, canBeInvalid)
  const own = checkSettings(type.settings, settings, report, canBeInvalid)
  const inner = parseNestedFields(context, settings, nested, depth)
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
      [fieldTypeKey]: type,
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

function parseNestedFields(
  context: ParseContext,
  settings: BlueprintSettings,
  keys: readonly (keyof NestedFields)[],
  depth: number,
) {
  const nested: Partial<NestedFields> = {}
  const shown: Record<string, ShownSettings> = {}
  for (const key of keys) {
    const node = settings.value.get(key)
    if (key === 'fields') {
      const list = parseFields(context, node, new Set(), depth + 1)
      nested.fields = list.fields
      shown['fields'] = list.shown
    } else if (key === 'fieldsets') {
      nested.fieldsets = parseFieldsets(context, node, settings.at, depth + 1)
    } else {
      const inner = node && extend(context, node)
      const settled = inner && !inner.partial ? inner : { at: settings.at, value: new Map() }
      nested.settings = parseFieldset(context, 'settings', settled, depth + 1)
    }
  }
  return { nested, shown }
}
