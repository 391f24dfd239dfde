import { didYouMean } from './settings.ts'
import {
  merge,
  type YamlNode,
  type Plain,
  type ReportProblem,
  quoteValue,
  type BlueprintSettings,
  toNode,
  without,
} from './source.ts'

/** `preset: page` expands to two columns: fields, and the lists of subpages and files. Labels are translation keys. */
const presets: Readonly<Record<string, (blueprint: BlueprintSettings) => BlueprintSettings>> = {
  page(blueprint) {
    const sidebar = blueprint.value.get('sidebar')
    const sections =
      sidebar ??
      mapNode(blueprint, {
        pages: presetSection(blueprint, 'pages', {
          label: 'blueprint.pages',
          type: 'pages',
          status: 'all',
          layout: 'list',
        }),
        files: presetSection(blueprint, 'files', { label: 'blueprint.files', type: 'files', layout: 'list' }),
      })
    const fields = blueprint.value.get('fields') ?? mapNode(blueprint, {})
    const columns: YamlNode = {
      at: blueprint.at,
      value: [
        mapNode(blueprint, { width: { at: blueprint.at, value: '2/3' }, fields }),
        mapNode(blueprint, { width: { at: blueprint.at, value: '1/3' }, sections }),
      ],
    }
    const rest = without(blueprint, ['fields', 'pages', 'files', 'sidebar'])
    return isEmpty(sections) ? withSetting(rest, 'fields', fields) : withSetting(rest, 'columns', columns)
  },

  pages(blueprint) {
    const templates = blueprint.value.get('templates') ?? blueprint.value.get('template')
    const list = (status: string, isDefault: boolean) => {
      const settings = presetSection(
        blueprint,
        status === 'draft' ? 'drafts' : status,
        { label: statusLabels[status]!, type: 'pages', status, layout: 'list' },
        isDefault,
      )
      const templateFilter = templates && settings && mapNode(blueprint, { templates })
      return templateFilter ? merge(templateFilter, settings) : settings
    }
    const sections = mapNode(blueprint, {
      drafts: list('draft', true),
      unlisted: list('unlisted', false),
      listed: list('listed', true),
    })
    const rest = without(blueprint, ['drafts', 'unlisted', 'listed', 'template', 'templates'])
    return withSetting(rest, 'sections', sections)
  },

  files(blueprint) {
    const settingNames = [
      'headline',
      'image',
      'info',
      'label',
      'layout',
      'max',
      'min',
      'parent',
      'sortBy',
      'template',
      'text',
    ]
    const own = mapNode(blueprint, Object.fromEntries(settingNames.map(name => [name, blueprint.value.get(name)])))
    const files = merge(toNode({ label: 'blueprint.files', type: 'files', layout: 'cards' }, blueprint.at), own)
    return withSetting(without(blueprint, settingNames), 'sections', mapNode(blueprint, { files }))
  },
}

const statusLabels: Readonly<Record<string, string>> = {
  draft: 'blueprint.drafts',
  unlisted: 'blueprint.unlisted',
  listed: 'blueprint.listed',
}

/** The blueprint with its preset expanded. */
export function expandPreset(blueprint: BlueprintSettings, report: ReportProblem): BlueprintSettings {
  const preset = blueprint.value.get('preset')
  if (!preset) return blueprint
  const rest = without(blueprint, ['preset'])
  const name = quoteValue(preset)
  if (Object.hasOwn(presets, name)) return presets[name]!(rest)
  report(preset.at, `there is no preset "${name}"${didYouMean(name, Object.keys(presets))}`)
  return rest
}

/** A section of a preset: `false` leaves it out, a string is its label, settings override the default ones. */
function presetSection(
  blueprint: BlueprintSettings,
  name: string,
  settings: { [name: string]: Plain },
  isDefault = true,
): YamlNode | undefined {
  const own = blueprint.value.get(name)
  if (own ? own.value === false : !isDefault) return undefined
  const defaults = toNode(
    { ...settings, ...(typeof own?.value === 'string' && { label: own.value }) },
    own?.at ?? blueprint.at,
  )
  return own ? merge(defaults, typeof own.value === 'object' && own.value !== null ? own : defaults) : defaults
}

function mapNode({ at }: BlueprintSettings, entries: Record<string, YamlNode | undefined>): BlueprintSettings {
  return { at, value: new Map(Object.entries(entries).flatMap(([name, node]) => (node ? [[name, node]] : []))) }
}

const isEmpty = ({ value }: YamlNode) => value === false || (value instanceof Map && value.size === 0)

function withSetting({ at, value }: BlueprintSettings, name: string, node: YamlNode): BlueprintSettings {
  return { at, value: new Map([...value, [name, node]]) }
}
