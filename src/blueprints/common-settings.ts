import { z } from 'zod'
import type { SitePermissions } from './permissions/create.ts'
import type { Option } from './permissions/permissions.ts'
import type { Blueprint } from './blueprints.ts'
import type { ParseContext } from './parse-context.ts'
import { findBlueprintFile } from './extend.ts'
import type { BlueprintText } from './fields/field.ts'
import { textSetting } from './fields/settings.ts'
import { parseForm } from './form.ts'
import { actionsOf, parseBlueprintOptions, type BlueprintKind, type BlueprintOptions } from './options.ts'
import { expandPreset } from './presets.ts'
import { capital, checkSettings, reportUnknown } from './settings.ts'
import { type YamlNode, plain, type Plain, type BlueprintSettings } from './source.ts'

/** Input for building the blueprints of a site: the files, the field types, the permissions, and the names of all roles. */
export interface BlueprintContext extends ParseContext {
  permissions: SitePermissions
  roles: ReadonlySet<string>
}

const commonSettings = ['title', 'name', 'icon', 'image', 'options', 'buttons', 'tabs', 'columns', 'sections', 'fields']
const settingsByKind: Readonly<Record<BlueprintKind, readonly string[]>> = {
  site: [...commonSettings, 'accept', 'preview'],
  pages: [...commonSettings, 'status', 'num', 'create', 'navigation', 'accept'],
  files: [...commonSettings, 'accept', 'create', 'focus'],
  users: [...commonSettings, 'description', 'permissions', 'requireSecondFactor', 'home'],
}

const headSchema = z.object({
  title: textSetting().optional(),
  description: textSetting().optional(),
  icon: z.string().optional(),
})

export interface CommonSettings {
  settings: BlueprintSettings
  blueprint: Blueprint
  options: BlueprintOptions
  description: BlueprintText | undefined
}

/** Reads the parts that every kind of blueprint has. Undefined if the file cannot be read. */
export function readCommonSettings(
  context: BlueprintContext,
  kind: BlueprintKind,
  name: string,
): CommonSettings | undefined {
  const { report, roles } = context
  const file = findBlueprintFile(context, name)
  if (!file) return undefined
  const settings = expandPreset(file, report)
  reportUnknown(settings, settingsByKind[kind], report)
  const {
    title = capital(baseOf(name)),
    description,
    icon,
  } = checkSettings(headSchema, settings, report, () => true) ?? {}
  const options = parseBlueprintOptions(kind, settings.value.get('options'), roles, report)
  const blueprint: Blueprint = {
    name,
    title,
    icon,
    image: plainOf(settings.value.get('image')),
    options: options.options,
    ...parseForm(context, settings),
  }
  return { settings, blueprint, options, description }
}

const baseOf = (name: string) => name.split('/').at(-1)!

const onlyAdministrators: Option = { admin: true, '*': false }

/** Allows everything to administrators, and nothing to others. */
export const optionsForAdministrators = (kind: BlueprintKind): Record<string, Option> =>
  Object.fromEntries(actionsOf(kind).map(action => [action, onlyAdministrators]))

const writingActions = new Set(['create', 'replace', 'update'])

/**
 * Replaces a blueprint that cannot be read, whatever it was meant to allow: only administrators see what it describes, and
 * nobody may write to its content, so that none is lost. Administrators may still delete it, publish it, and change its
 * title, slug, status or template.
 */
export function inaccessibleBlueprint(kind: BlueprintKind, name: string): Blueprint {
  const denied = actionsOf(kind).filter(action => writingActions.has(action))
  return {
    tabs: [],
    sections: new Map(),
    fields: new Map(),
    broken: new Set(),
    name,
    title: capital(baseOf(name)),
    icon: undefined,
    image: undefined,
    options: { ...optionsForAdministrators(kind), ...Object.fromEntries(denied.map(action => [action, false])) },
  }
}

export function parseSiteBlueprint(context: BlueprintContext): Blueprint {
  return readCommonSettings(context, 'site', 'site')?.blueprint ?? inaccessibleBlueprint('site', 'site')
}

export const plainOf = (node: YamlNode | undefined): Plain | undefined => node && plain(node)
