import { z } from 'zod'
import type { Blueprint, PageBlueprint, Tab } from '../blueprints/blueprints.ts'
import { isList, isMap } from '../blueprints/fields/stored.ts'
import { type Builder, viewOf } from '../http/view.ts'
import { asMessage, Message } from '../platform/texts.ts'
import { inLanguage } from '../platform/translations/translations.ts'

/** The blueprint of one page, file, account or the site. */
export interface BlueprintModel<Kind extends Blueprint = Blueprint> {
  blueprint: Kind
  /** Path of the model in the panel: `/pages/notes+storm`, `/site`. */
  link: string
  /** Resolves the preview URL; only set if the blueprint has a URL with placeholders. */
  preview?: (() => Promise<string>) | undefined
  /** The status `draft` is not offered. */
  isPublished?: boolean
}

const map = z.record(z.string(), z.unknown())

interface ShownColumn {
  width: string
  sticky?: boolean
  sections: Record<string, ShownSection>
}

interface ShownSection {
  name: string
  type: string
  label?: string
  when?: Record<string, unknown>
  /** Of a section with fields: as they are written in the blueprint. */
  fields?: Record<string, { label?: string; type?: string; translate?: boolean }>
}

/** A tab as it is written in the blueprint, with all its settings. Declared are those that the panel reads. */
export interface ShownTab {
  name: string
  label: string
  icon: string | null
  /** The path of the tab in the panel. */
  link: string
  /** By name, if the blueprint names them. */
  columns: ShownColumn[] | Record<string, ShownColumn>
}

const tabSchema = map as z.ZodType as z.ZodType<ShownTab>

const everyField = <Kind extends Blueprint>(field: Builder<BlueprintModel<Kind>>) => ({
  name: field.value(z.string(), ({ blueprint }) => blueprint.name),
  options: field.value(map, ({ blueprint }) => optionsOf(blueprint)),
  tabs: field.value(z.array(tabSchema), ({ blueprint, link }, { locale }) => showTabs(blueprint, link, locale)),
  title: field.value(z.string(), ({ blueprint }, { locale }) => inLanguage(blueprint.title, locale)),
})

/** A blueprint in the API: texts in the language of the caller, placeholders not filled in. */
export const blueprintView = viewOf<BlueprintModel>('Blueprint')(everyField, {})

/** An interface, because TypeScript writes its name instead of its properties into declaration files. */
export interface Statuses {
  [status: string]: { label: string; text: string | null }
}

const statusSchema: z.ZodType<Statuses> = z.record(
  z.string(),
  z.object({ label: z.string(), text: z.string().nullable() }),
)

export const pageBlueprintView = viewOf<BlueprintModel<PageBlueprint>>('PageBlueprint')(
  field => ({
    ...everyField(field),
    num: field.value(z.string(), ({ blueprint }) => blueprint.num),
    preview: field.value(z.union([z.boolean(), z.string()]), async ({ blueprint, preview }) =>
      preview ? preview() : blueprint.preview,
    ),
    status: field.value(statusSchema, (described, { locale }) => showStatus(described, locale)),
  }),
  {},
)

/** Action → which roles may do it, as in the YAML. */
function optionsOf(blueprint: Blueprint & Partial<PageBlueprint>): Record<string, unknown> {
  const { options, changeTemplate = [], preview } = blueprint
  return {
    ...options,
    ...(changeTemplate.length > 0 && { changeTemplate }),
    ...(typeof preview === 'string' && { preview }),
  }
}

function showStatus({ blueprint, isPublished = false }: BlueprintModel<PageBlueprint>, language: string) {
  const offered = Object.entries(blueprint.status).filter(([name]) => !(isPublished && name === 'draft'))
  const shown = offered.map(([name, { label, text }]) => [
    name,
    { label: inLanguage(label, language), text: text === null ? null : inLanguage(text, language) },
  ])
  return Object.fromEntries(shown) as Statuses
}

// ---- tabs

type Translated = Omit<ShownTab, 'link'>

/** Cache: many models share few blueprints and languages. */
const translated = new WeakMap<readonly Tab[], Map<string, Translated[]>>()

function showTabs({ tabs }: Blueprint, link: string, language: string) {
  let byLanguage = translated.get(tabs)
  if (!byLanguage) translated.set(tabs, (byLanguage = new Map()))
  let shown = byLanguage.get(language)
  if (!shown) byLanguage.set(language, (shown = tabs.map(tab => translateSettings(tab, language) as Translated)))
  return shown.map(tab => ({ ...tab, link: `${link}/?tab=${tab.name}` }))
}

/** Settings whose value is a text of the interface, and is translated. */
const texts = new Set([
  'after', 'before', 'confirm', 'description', 'empty', 'headline', 'help', 'info', 'label', 'placeholder', 'text', 'title',
]) // prettier-ignore
/** Maps with user-defined keys: a field may be called `label` without being a text. */
const groups = new Set(['columns', 'fields', 'fieldsets', 'reports', 'sections', 'tabs'])

/** The settings with every text translated into one language. */
function translateSettings(settings: unknown, language: string): unknown {
  if (settings instanceof Message) return inLanguage(settings, language)
  if (isList(settings)) return settings.map(item => translateSettings(item, language))
  if (!isMap(settings)) return settings
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, translateSetting(name, value, language)]),
  )
}

function translateSetting(name: string, value: unknown, language: string): unknown {
  if (texts.has(name)) return translateText(value, language)
  if (name === 'options') return value // the `fields` section resolves them
  return groups.has(name)
    ? translateEach(value, one => translateSettings(one, language))
    : translateSettings(value, language)
}

function translateEach(value: unknown, translate: (one: unknown) => unknown): unknown {
  if (isList(value)) return value.map(translate)
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, translate(one)]))
}

/** One text for all languages, a map of texts by language, or a list of either (a toggle has two texts). */
function translateText(value: unknown, language: string): unknown {
  if (typeof value === 'string') return inLanguage(asMessage(value), language)
  if (isByLanguage(value)) return inLanguage(value, language)
  return isList(value) ? value.map(one => translateText(one, language)) : translateSettings(value, language)
}

const languageCode = /^(?:\*|[a-z]{2,3}(?:[-_]\w{2,8})*)$/i

export function isByLanguage(value: unknown): value is Record<string, string> {
  if (!isMap(value)) return false
  const entries = Object.entries(value)
  return entries.length > 0 && entries.every(([code, text]) => languageCode.test(code) && typeof text === 'string')
}
