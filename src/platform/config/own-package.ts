import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

let isRegistered = false

/**
 * From now on `import … from 'quoin'` is the running program, from any file. A site may be anywhere, without
 * `node_modules`, or beside another release, which must not be loaded as well.
 */
export function resolveOwnPackage(): void {
  if (isRegistered) return
  isRegistered = true
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      // A package may import itself by its name, so the import is resolved as if this file had it.
      /^quoin(?:\/|$)/.test(specifier)
        ? nextResolve(specifier, { ...context, parentURL: import.meta.url })
        : nextResolve(specifier, context),
  })
}

const skipped = 'quoin-without:'

/**
 * Imports of this file whose file, folder or package is named like one of `names` give functions that return nothing:
 * a site can be started without an extension whose code cannot be loaded.
 */
export function skipImports(path: string, names: readonly string[]): void {
  const file = pathToFileURL(path).href
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      context.parentURL === file && isNamed(specifier, names)
        ? { url: skipped + specifier, format: 'module', shortCircuit: true }
        : nextResolve(specifier, context),
    load: (url, context, nextLoad) =>
      url.startsWith(skipped)
        ? { format: 'module', source: stubOf(path, url.slice(skipped.length)), shortCircuit: true }
        : nextLoad(url, context),
  })
}

/** `./extensions/shop.ts`, `./shop/index.ts`, `quoin-shop` and `@us/shop` are named `shop`. */
function isNamed(specifier: string, names: readonly string[]): boolean {
  const last = specifier
    .replace(/(?:\/index)?\.[cm]?[jt]s$/, '')
    .split('/')
    .at(-1)!
  return names.includes(last) || names.includes(last.replace(/^quoin-/, ''))
}

/** A module with the names that the settings import from it. */
function stubOf(path: string, specifier: string): string {
  const text = readFileSync(path, 'utf8')
  const lists = [...text.matchAll(/import\s+([^'"]*?)\s+from\s+['"]([^'"]+)['"]/g)]
    .filter(([, , from]) => from === specifier)
    .flatMap(([, list]) => /\{([^}]*)\}/.exec(list!)?.[1]!.split(',') ?? [])
  const imported = lists.map(name => name.trim().split(/\s+as\s+/)[0]!).filter(name => /^\w+$/.test(name))
  const exported = [...new Set(imported)].map(name => (name === 'default' ? '' : `export const ${name} = none`))
  return ['const none = () => undefined', 'export default none', ...exported].join('\n')
}
