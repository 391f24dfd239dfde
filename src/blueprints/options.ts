import { catalogue, type Option } from './permissions/permissions.ts'
import { didYouMean, words } from './settings.ts'
import { isEntries, isList, type YamlNode, type ReportProblem, quoteValue } from './source.ts'

export type BlueprintKind = 'site' | 'pages' | 'files' | 'users'

/** The parsed setting `options` of a blueprint. */
export interface BlueprintOptions {
  options: Record<string, Option>
  /** `changeTemplate` may be a list of templates instead of a boolean. */
  changeTemplate: readonly string[]
  /** `preview` may be the URL of the preview. */
  preview: string | undefined
}

/** Older names of the same actions. */
const aliases: Readonly<Record<string, string>> = {
  status: 'changeStatus',
  template: 'changeTemplate',
  title: 'changeTitle',
  url: 'changeSlug',
}

/** Actions that are accepted, but not shown where the blueprint does not set them. */
const further: Readonly<Record<BlueprintKind, readonly string[]>> = {
  site: ['access', 'preview'],
  pages: ['publish'],
  files: ['sort'],
  users: ['access', 'list'],
}

/** Every action that the options of such a blueprint can name. */
export const actionsOf = (kind: BlueprintKind): readonly string[] => [...catalogue[kind], ...further[kind]]

/** Which roles may do what here. An invalid value denies: a mistyped restriction must not become a permission. */
export function parseBlueprintOptions(
  kind: BlueprintKind,
  node: YamlNode | undefined,
  roles: ReadonlySet<string>,
  report: ReportProblem,
): BlueprintOptions {
  const every = (option: Option): BlueprintOptions => ({
    options: Object.fromEntries(catalogue[kind].map(action => [action, option])),
    changeTemplate: [],
    preview: undefined,
  })
  if (!node || node.value === null || node.value === true) return every(null)
  if (node.value === false) return every(false)
  if (!isEntries(node)) {
    report(node.at, '"options" must be true, false, or name actions')
    return every(false)
  }
  const found = every(null)
  const actions = actionsOf(kind)
  for (const [name, entry] of node.value) {
    const alias = kind === 'pages' ? aliases[name] : undefined
    if (alias !== undefined && node.value.has(alias)) continue
    const action = alias ?? name
    if (!actions.includes(action)) report(entry.at, `there is no action "${name}" here${didYouMean(name, actions)}`)
    if (action === 'changeTemplate' && (isList(entry) || typeof entry.value === 'string')) {
      found.changeTemplate = (isList(entry) ? entry.value : [entry]).map(quoteValue)
    } else if (action === 'preview' && typeof entry.value === 'string' && !words.has(entry.value)) {
      found.preview = entry.value
    } else found.options[action] = optionOf(entry, roles, report)
  }
  return found
}

function optionOf(node: YamlNode, roles: ReadonlySet<string>, report: ReportProblem): Option {
  if (node.value === null) return null
  if (!isEntries(node)) return yesOrNo(node, report)
  const byRole: Record<string, boolean> = {}
  for (const [role, entry] of node.value) {
    if (role !== '*' && !roles.has(role)) report(entry.at, `there is no role "${role}"${didYouMean(role, roles)}`)
    if (entry.value !== null) byRole[role] = yesOrNo(entry, report)
  }
  return byRole
}

function yesOrNo(node: YamlNode, report: ReportProblem): boolean {
  const read = words.get(node.value) ?? node.value
  if (typeof read === 'boolean') return read
  report(node.at, 'this must be true, false, or true and false by role; until then it is false')
  return false
}
