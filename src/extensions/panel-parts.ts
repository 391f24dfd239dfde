import { readFileSync, realpathSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, posix, relative, sep } from 'node:path'
import type { Extension } from './define.ts'
import type { PanelPart } from './loaded-extension.ts'

/** The declared parts of an extension. */
export function partsOf({ name, definition: { panel = {} } }: Extension): PanelPart[] {
  const part = (kind: PanelPart['kind'], files: Readonly<Record<string, string>> = {}) =>
    Object.entries(files).map(([of, file]): PanelPart => ({
      extension: name,
      kind,
      name: of,
      path: pathOf(name, file),
    }))
  return [
    ...part('field', panel.fields),
    ...part('block', panel.blocks),
    ...Object.entries(panel.screens ?? {}).map(([of, { file, label, icon, access }]): PanelPart => ({
      extension: name,
      kind: 'screen',
      name: of,
      path: pathOf(name, file),
      label,
      ...(icon !== undefined && { icon }),
      ...(access !== undefined && { access }),
    })),
  ]
}

const pathOf = (name: string, file: string) => `${name}/${posix.normalize(file)}`

const declaredFiles = ({ panel: { fields, blocks, screens } = {} }: Extension['definition']) => [
  ...Object.values(fields ?? {}),
  ...Object.values(blocks ?? {}),
  ...Object.values(screens ?? {}).map(({ file }) => file),
]

const word = /^[a-z][A-Za-z0-9-]{0,39}$/

/** Reports what is wrong with the declarations, except for the files. */
export function checkPanel(
  { panel = {}, fields = {} }: Extension['definition'],
  { isAccess, isBlock }: { isAccess: (access: string) => boolean; isBlock: (name: string) => boolean },
  report: (problem: string) => void,
): void {
  for (const name of Object.keys(panel.fields ?? {}))
    if (!Object.hasOwn(fields, name)) report(`panel.fields: the extension has no field type "${name}"`)
  for (const name of Object.keys(panel.blocks ?? {}))
    if (!/^[\w-]{1,100}$/.test(name)) report(`panel.blocks: "${name}" is not the name of a block`)
    else if (!isBlock(name)) report(`panel.blocks: there is no block "${name}"`)
  for (const [name, screen] of Object.entries(panel.screens ?? {})) {
    const wrong = (problem: string) => report(`panel.screens.${name}: ${problem}`)
    if (!word.test(name)) wrong('its name must be a word such as orders')
    if (
      typeof screen.label !== 'string' &&
      (typeof screen.label !== 'object' || Object.keys(screen.label).length === 0)
    )
      wrong('needs a label')
    if (screen.access !== undefined && !isAccess(screen.access)) wrong(`there is no permission "${screen.access}"`)
  }
}

/** The file cannot be served; the message says why. */
class Unservable extends Error {}

/**
 * All files that the parts of an extension import, as JavaScript, by their path below the folder of the extension. Only
 * these are served: beside them are files of the server.
 */
export function filesOf(
  extension: Extension,
  report: (problem: string) => void = () => {},
): ReadonlyMap<string, string> {
  const root = dirname(extension.file)
  const found = new Map<string, string>()
  const waiting = declaredFiles(extension.definition).map(file => ({ file, from: 'panel' }))
  const visited = new Set<string>()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const path = posix.normalize(next.file)
    if (visited.has(path)) continue
    visited.add(path)
    try {
      const code = readPart(root, next.file)
      found.set(path, code)
      for (const imported of importsIn(code)) {
        if (imported === 'quoin/panel') continue
        if (!/^\.\.?\//.test(imported))
          report(`${path}: imports "${imported}"; parts of the panel can import their own files and quoin/panel`)
        else waiting.push({ file: posix.join(posix.dirname(path), imported), from: path })
      }
    } catch (error) {
      if (!(error instanceof Unservable)) throw error
      report(`${next.from}: ${error.message}`)
    }
  }
  return found
}

function readPart(root: string, file: string): string {
  const path = posix.normalize(file)
  if (!/\.[jt]s$/.test(path) || path.startsWith('/') || path.startsWith('..'))
    throw new Unservable(`"${file}" must be a .ts or .js file in the folder of the extension`)
  const full = join(root, path)
  try {
    const real = relative(realpathSync(root), realpathSync(full))
    if (real.startsWith('..') || real.split(sep).includes('node_modules'))
      throw new Unservable(`"${file}" leads out of the folder of the extension`)
    const text = readFileSync(full, 'utf8')
    return path.endsWith('.ts') ? strip(text) : text
  } catch (error) {
    if (error instanceof Unservable) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new Unservable(code === 'ENOENT' ? `there is no file "${file}"` : `"${file}": ${message.split('\n')[0]}`)
  }
}

/** Without Node's warning that this function is experimental: operators cannot do anything about it. */
function strip(text: string): string {
  // oxlint-disable-next-line typescript/unbound-method -- it is only put back
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emitWarning
  }
}

const comment = String.raw`\/\*[^]*?\*\/|\/\/.*`
/** Texts, templates, and regular expressions, which are where no division can be. */
const literal = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\`(?:\\[^]|[^\\\`])*\`|(?<=[=(,:[!&|?{;]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/`
const imported = String.raw`\b(?:import|export)\b(?:[\s\w*{},$]*?\bfrom)?\s*\(?\s*(?<quote>['"])(?<name>[^'"\n]+)\k<quote>`
const comments = new RegExp(`${comment}|(?<literal>${literal})`, 'g')
const imports = new RegExp(`${imported}|${literal}`, 'g')

const importsIn = (code: string): string[] =>
  [...code.replaceAll(comments, '$<literal> ').matchAll(imports)].flatMap(({ groups }) => groups?.['name'] ?? [])
