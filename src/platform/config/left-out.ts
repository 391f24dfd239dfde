import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const mark = Symbol.for('quoin.leftOut')

/**
 * Stands for everything that the module of an extension exports: it can be called, has every property, and is an empty
 * list, so that settings can use it in any way.
 */
const nothing: unknown = new Proxy(
  Object.assign(function () {}, { [mark]: true }),
  {
    apply: () => nothing,
    construct: () => nothing as object,
    get(_target, key) {
      if (key === Symbol.iterator) return () => [].values()
      if (key === Symbol.toPrimitive) return () => ''
      // Something with a `then` would be taken for a promise.
      return typeof key === 'symbol' || key === 'then' ? undefined : nothing
    },
  },
)

export const isLeftOut = (value: unknown): boolean => typeof value === 'function' && mark in value

const stub = 'quoin-without:'
const isOwnPackage = (specifier: string) => /^quoin(?:\/|$)/.test(specifier)

/** By the path of the settings: a process loads their modules once, however often it reads them. */
const skippedBy = new Map<string, Set<string>>()

interface LeftOut {
  /** Those that were asked for, and those that the files declare that were not loaded. */
  names: ReadonlySet<string>
  /** Those that were asked for and whose files were not loaded. */
  skipped: ReadonlySet<string>
  end: () => void
}

/**
 * Until `end`, what these settings import gives nothing if it declares extensions with these names: a site can be used
 * without an extension whose code cannot be loaded. The names are found in the text of the files, which are not parsed.
 */
export function leaveOutImports(settings: string, without: readonly string[]): LeftOut {
  Object.assign(globalThis, { [mark]: nothing }) // modules that are made of text cannot import it
  const names = new Set(without)
  const skipped = skippedBy.get(settings) ?? new Set<string>()
  skippedBy.set(settings, skipped)
  const file = pathToFileURL(settings).href
  /** The settings, and what they import. */
  const loaded = new Set([file])
  /** The exports of the modules that are replaced. */
  const exportsOf = new Map<string, ReadonlySet<string>>()

  function isToSkip(text: string, isNamed: boolean): boolean {
    const declared = namesIn(text)
    const isSkipped = declared.length > 0 && declared.every(name => without.includes(name))
    if (!isSkipped && (!isNamed || declared.length > 1)) return false
    for (const name of declared) {
      names.add(name)
      skipped.add(name)
    }
    return true
  }

  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL = '' } = context
      if (!loaded.has(parentURL) || isOwnPackage(specifier)) return nextResolve(specifier, context)
      const isNamed = parentURL === file && isNamedLike(specifier, without)
      let found: ReturnType<typeof nextResolve> | undefined
      try {
        found = nextResolve(specifier, context)
      } catch (error) {
        if (!isNamed) throw error
      }
      const text = found ? textOf(found.url) : ''
      if (found && !isToSkip(text, isNamed)) {
        loaded.add(found.url)
        return found
      }
      for (const name of without) if (isNamed && isNamedLike(specifier, [name])) skipped.add(name)
      const url = `${stub}${encodeURIComponent(parentURL)}:${specifier}`
      exportsOf.set(url, new Set([...exportsIn(text), ...importsOf(textOf(parentURL), specifier)]))
      return { url, format: 'module', shortCircuit: true }
    },
    load(url, context, nextLoad) {
      const exported = exportsOf.get(url)
      if (!exported) return nextLoad(url, context)
      const list = ['default', ...exported].map(name => `nothing as ${name}`).join(', ')
      const source = `const nothing = globalThis[Symbol.for('${mark.description!}')]; export { ${list} }`
      return { format: 'module', source, shortCircuit: true }
    },
  })
  return { names, skipped, end: () => hooks.deregister() }
}

function textOf(url: string): string {
  try {
    return readFileSync(fileURLToPath(url), 'utf8')
  } catch {
    return '' // a module of Node, for example
  }
}

/** `./extensions/shop.ts`, `./shop/index.ts`, `quoin-shop` and `@us/shop` are named `shop`. */
function isNamedLike(specifier: string, names: readonly string[]): boolean {
  const last = specifier
    .replace(/(?:\/index)?\.[cm]?[jt]s$/, '')
    .split('/')
    .at(-1)!
  return names.includes(last) || names.includes(last.replace(/^quoin-/, ''))
}

/** The names of the extensions that a file declares, if all of them are written there. */
function namesIn(text: string): string[] {
  const names = [...text.matchAll(/\bdefineExtension\s*\(\s*\{[^{}]*?\bname:\s*(['"`])([\w-]+)\1/g)]
  const calls = [...text.matchAll(/\bdefineExtension\s*\(/g)]
  return calls.length === names.length ? names.map(([, , name]) => name!) : []
}

const isName = (text: string) => /^[A-Za-z_$][\w$]*$/.test(text) && text !== 'default'

/** `{ a, b as c }` gives `[['a'], ['b', 'c']]`. */
const pairsIn = (list: string) => list.split(',').map(name => name.trim().split(/\s+as\s+/))

function exportsIn(text: string): string[] {
  const declared = text.matchAll(/\bexport\s+(?:async\s+)?(?:const|let|var|class|function\s*\*?)\s+([\w$]+)/g)
  const listed = text.matchAll(/\bexport\s*\{([^}]*)\}/g)
  return [
    ...[...declared].map(([, name]) => name!),
    ...[...listed].flatMap(([, list]) => pairsIn(list!).map(pair => pair.at(-1)!)),
  ].filter(isName)
}

/** The names that a file imports from this module. */
function importsOf(text: string, specifier: string): string[] {
  return [...text.matchAll(/\b(?:import|export)\b([^'"]*?)\bfrom\s*['"]([^'"]+)['"]/g)]
    .filter(([, , from]) => from === specifier)
    .flatMap(([, list]) => pairsIn(/\{([^}]*)\}/.exec(list!)?.[1] ?? '').map(([name]) => name!))
    .filter(isName)
}
