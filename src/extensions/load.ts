import { existsSync, globSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { api } from '../api.ts'
import { builtIn as builtInBlueprints } from '../blueprints/built-in.ts'
import { fieldTypes } from '../blueprints/fields/index.ts'
import { readFolder } from '../blueprints/folder.ts'
import { builtInPermissions, createPermissions } from '../blueprints/permissions/create.ts'
import { type Config, ConfigError } from '../platform/config.ts'
import { explainIssue } from '../platform/config/problems.ts'
import { errors as builtInErrors, type OwnError } from '../platform/errors.ts'
import { translations } from '../platform/translations/translations.ts'
import { loadBackground } from './background.ts'
import type { AnyOwnEndpoint, Definition, Extension, OwnTree } from './define.ts'
import { formProblems, isOwnEndpoint } from './definition-schema.ts'
import { endpointProblems, endpointsOf, isEndpoint } from './endpoints.ts'
import { checkFieldType, ownFieldType } from './fields.ts'
import { checkPanel, filesOf, partsOf } from './panel-parts.ts'
import { peerProblem } from './peer.ts'
import { ruleNames } from './rule-names.ts'
import { createRules } from './rules.ts'
import type { Extensions, LoadedExtension, PanelParts } from './loaded-extension.ts'

/** Names that would be mistaken for something of ours: groups, categories of permissions, beginnings of error keys. */
const reserved = new Set([
  ...Object.keys(api),
  ...Object.keys(builtInPermissions.categories),
  ...Object.keys(builtInErrors).map(key => key.split('.')[0]!),
  'extensions',
  'quoin',
])

/** Checks all extensions and builds what `App` has of them. Throws one error with a line for every problem. */
export function loadExtensions(config: Config, log?: Logger): Extensions {
  const extensions = config.extensions as Extension[]
  const problems = extensions.flatMap(extension =>
    formProblems(extension.definition).map(problem => `${placeOf(config, extension)}: ${problem}`),
  )
  // The checks below rely on the form.
  if (problems.length > 0) throw new ConfigError(problems)
  /** Where something was declared first, to name both places. */
  const places = new Map<string, string>()
  const permissions = createPermissions(
    Object.fromEntries(
      extensions.flatMap(({ name, definition: { permissions: own = {} } }) =>
        Object.keys(own).length > 0 ? [[name, Object.keys(own)] as const] : [],
      ),
    ),
  )
  const known = new Set(permissions.scopes.filter(scope => !scope.endsWith('*')))
  const isBlock = createBlockSearch(config, extensions)
  const panelFiles = new Map<string, ReturnType<typeof filesOf>>()
  const list = extensions.map((extension): LoadedExtension => {
    const { name, file, definition } = extension
    const place = placeOf(config, extension)
    const report = (problem: string) => void problems.push(`${place}: ${problem}`)
    const once = (what: string, shown: string, part = '') => {
      const first = places.get(what)
      if (first === undefined) places.set(what, place + part)
      else report(`${shown} is already declared by ${first}`)
    }
    checkName(name, report)
    once(`name ${name}`, `the name "${name}"`)
    checkDefinition(extension, report)
    for (const [type, own] of Object.entries(definition.fields ?? {})) {
      checkFieldType(type, own, report)
      once(`field ${type}`, `the field type "${type}"`)
    }
    for (const [path, endpoint] of listOwn(definition.endpoints ?? {})) {
      checkEndpoint(path, endpoint, known, report)
      if (isCallable(endpoint))
        once(
          `${endpoint.method} /${name}${endpoint.path.replaceAll(/:\w+/g, ':')}`,
          `endpoints.${path}: ${endpoint.method} ${endpoint.path}`,
          ` as endpoints.${path}`,
        )
    }
    for (const blueprint of blueprintsIn(extension))
      if (!existsSync(join(config.folder, 'blueprints', `${blueprint}.yml`)))
        once(`blueprint ${blueprint}`, `the blueprint "${blueprint}"`)
    for (const block of Object.keys(definition.panel?.blocks ?? {}))
      once(`panel.blocks ${block}`, `the preview of the block "${block}"`)
    checkPanel(definition, { isAccess: access => levels.has(access) || known.has(access), isBlock }, report)
    const files = filesOf(extension, report)
    if (files.size > 0) panelFiles.set(name, files)
    const peer = peerProblem(file)
    if (peer !== undefined) report(peer)
    const { permissions: own = {}, store = [] } = definition
    const background = loadBackground(definition, report)
    return { name, file, permissions: own, collections: store, ...background, errors: errorsOf(name, definition) }
  })
  if (problems.length > 0) throw new ConfigError(problems)
  const folders = extensions.flatMap(foldersOf)
  const branches = extensions.flatMap(({ definition: { endpoints = {} } }, at) =>
    Object.keys(endpoints).length > 0 ? [[list[at]!.name, endpointsOf(list[at]!, endpoints)] as const] : [],
  )
  const ownTypes = extensions.flatMap(({ definition: { fields = {} } }, at) =>
    Object.entries(fields).map(([type, own]) => [type, ownFieldType(list[at]!, type, own, log)] as const),
  )
  return {
    list,
    endpoints: branches.length > 0 ? Object.fromEntries(branches) : undefined,
    rules: createRules(
      extensions.flatMap(({ definition: { rules = [] } }, at) => rules.map(rule => ({ extension: list[at]!, rule }))),
    ),
    blueprintParts: { types: { ...fieldTypes, ...Object.fromEntries(ownTypes) }, permissions, folders },
    panel: panelOf(config, extensions, panelFiles),
  }
}

/** During development, the files are read again for every request. */
function panelOf(
  { development }: Config,
  extensions: readonly Extension[],
  files: ReadonlyMap<string, ReturnType<typeof filesOf>>,
): PanelParts | undefined {
  if (files.size === 0) return undefined
  return {
    list: extensions.flatMap(partsOf),
    file(path) {
      const [, name = '', inner = ''] = /^([^/]+)\/(.+)$/.exec(path) ?? []
      const extension = development ? extensions.find(one => one.name === name) : undefined
      return (extension ? filesOf(extension) : files.get(name))?.get(inner)
    },
  }
}

type Report = (problem: string) => void

const placeOf = ({ folder }: Config, { name, file }: Extension) => `${name} (${relative(folder, file)})`

// ---- blueprints

const foldersOf = ({ definition: { blueprints } }: Extension) =>
  blueprints && isFolder(blueprints) ? [fileURLToPath(blueprints)] : []

/** Their names: `blocks/book`. */
const blueprintsIn = (extension: Extension) =>
  foldersOf(extension).flatMap(cwd =>
    globSync('**/*.yml', { cwd }).map(file => file.replaceAll('\\', '/').slice(0, -'.yml'.length)),
  )

/**
 * Whether there is a block with this name: built in, as a file, or where a blueprint of a page or file uses it. The
 * blueprints are read when the first one is looked for.
 */
function createBlockSearch({ folder }: Config, extensions: readonly Extension[]): (name: string) => boolean {
  let texts: ReadonlyMap<string, string | undefined> | undefined
  return name => {
    if (builtInBlueprints.has(`blocks/${name}`)) return true
    texts ??= readFolder(folder, extensions.flatMap(foldersOf)).texts
    const isUsed = new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`)
    return texts.has(`blocks/${name}`) || texts.values().some(text => text !== undefined && isUsed.test(text))
  }
}

// ---- parts

function checkName(name: string, report: Report): void {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
    report('a name has small letters, digits and hyphens, and starts with a letter')
  else if (reserved.has(name)) report(`the name "${name}" is taken by Quoin itself`)
}

function checkDefinition({ definition, issues }: Extension, report: Report): void {
  const { blueprints, permissions = {} } = definition
  for (const issue of issues)
    for (const line of explainIssue(issue, new Map())) report(`settings: ${line.replace(/^: /, '')}`)
  if (blueprints && !isFolder(blueprints)) report(`there is no folder ${blueprints.pathname}`)
  for (const action of Object.keys(permissions))
    if (!word.test(action)) report(`permissions: "${action}" is not a word such as orders or changeStatus`)
  checkStore(definition, report)
  checkRules(definition, report)
  checkErrors(definition, report)
}

function checkStore({ store = [] }: Definition, report: Report): void {
  for (const [at, { name, index }] of store.entries()) {
    if (!word.test(name)) report(`store: "${name}" is not a word such as subscribers`)
    if (store.findIndex(other => other.name === name) < at) report(`store: there are two collections "${name}"`)
    if (index.length > 3) report(`store: "${name}" has more than three indexes`)
  }
}

const maxTimeoutMs = 10_000

function checkRules({ rules = [] }: Definition, report: Report): void {
  for (const { names, check, options } of rules) {
    for (const name of names)
      if (!(ruleNames as readonly string[]).includes(name)) report(`rules: there is no operation "${name}"`)
    if (names.length === 0 || typeof check !== 'function') report('rules: a rule needs an operation and a function')
    const { timeout = 1 } = options
    if (!(Number.isInteger(timeout) && timeout > 0 && timeout <= maxTimeoutMs))
      report(`rules: timeout must be a whole number between 1 and ${maxTimeoutMs}`)
  }
}

const word = /^[a-z][A-Za-z0-9]{0,39}$/

function isFolder(url: URL): boolean {
  return url.protocol === 'file:' && statSync(fileURLToPath(url), { throwIfNoEntry: false })?.isDirectory() === true
}

const languages = new Set(translations.map(({ id }) => id))
const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted().join(' ')

function checkErrors({ errors = {}, texts = {} }: Definition, report: Report): void {
  for (const [key, [status]] of Object.entries(errors)) {
    if (!word.test(key)) report(`errors: "${key}" is not a word such as priceMissing`)
    if (!Number.isInteger(status) || status < 400 || status > 599)
      report(`errors: the status of "${key}" must be between 400 and 599`)
  }
  for (const [language, translated] of Object.entries(texts)) {
    if (!languages.has(language)) report(`texts: the interface has no language "${language}"`)
    for (const [key, text] of Object.entries(translated ?? {})) {
      const source = Object.hasOwn(errors, key) ? errors[key]![1] : undefined
      if (source === undefined) report(`texts: there is no error "${key}"`)
      else if (placeholders(source) !== placeholders(text ?? ''))
        report(`texts: "${key}" has other placeholders in "${language}" than in errors`)
    }
  }
}

function errorsOf(name: string, { errors = {}, texts = {} }: Definition): Map<string, OwnError> {
  return new Map(
    Object.entries(errors).map(([key, [status, text]]) => {
      const translated = Object.entries(texts).flatMap(([language, all]) => {
        const found = all?.[key]
        return found === undefined ? [] : [[language, found] as const]
      })
      return [key, { key: `${name}.${key}`, status, texts: { en: text, ...Object.fromEntries(translated) } }]
    }),
  )
}

// ---- endpoints

function* listOwn(tree: OwnTree, prefix = ''): Generator<[name: string, endpoint: AnyOwnEndpoint]> {
  for (const [key, node] of Object.entries(tree)) {
    if (isEndpoint(node) || isOwnEndpoint(node)) yield [prefix + key, node as AnyOwnEndpoint]
    else yield* listOwn(node, `${prefix}${key}.`)
  }
}

const methods = new Set(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])
const levels = new Set(['public', 'reader', 'session'])

const isCallable = ({ method, path }: AnyOwnEndpoint) => methods.has(method) && typeof path === 'string'

function checkEndpoint(name: string, endpoint: AnyOwnEndpoint, known: ReadonlySet<string>, report: Report): void {
  const { path, access, answer, handler, perMinute } = endpoint
  const wrong = (problem: string) => report(`endpoints.${name}: ${problem}`)
  if (!name.split('.').every(part => word.test(part))) wrong('its name must be words such as orders.list')
  if (!isCallable(endpoint)) return wrong('needs a method and a path')
  if (!/^(?:\/(?:[A-Za-z0-9_-]+|:[A-Za-z]\w*))+$/.test(path)) wrong(`the path "${path}" must be such as /orders/:id`)
  const parameters = path.match(/:\w+/g) ?? []
  if (new Set(parameters).size < parameters.length) wrong(`the path "${path}" has a parameter twice`)
  if (!levels.has(access) && !known.has(access)) wrong(`there is no permission "${access}"`)
  if (access?.startsWith('users.')) wrong(`"${access}" depends on an account: use "session", and cms checks it`)
  if (typeof handler !== 'function' || typeof answer?.wrap !== 'function') wrong('needs an answer and a handler')
  if (perMinute !== undefined && !(Number.isInteger(perMinute) && perMinute > 0))
    wrong('perMinute must be a whole number above 0')
  for (const problem of endpointProblems(endpoint)) wrong(problem)
}
