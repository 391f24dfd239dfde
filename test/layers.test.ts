import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The architecture in one list: a folder (or file) of src may import only what comes before it, or its own. */
const layers = [
  'lib', 'release', 'texts', 'errors', 'permissions', 'config', 'secrets', 'blueprints', 'store', 'media', 'app', 'audit',
  'throttle', 'factors', 'session', 'http', 'translations', 'mail', 'search', 'languages', 'content', 'trash', 'files', 'roles', 'users', 'pages',
  'site', 'scope', 'pickers', 'sections', 'uses', 'import', 'export', 'backup', 'copy', 'typings', 'system', 'auth', 'api', 'openapi', 'delivery', 'panel', 'server', 'cli', 'index', 'main',
] // prettier-ignore

const root = join(import.meta.dirname, '..')
const isSource = (name: string) => !name.endsWith('.test.ts')
const files = globSync('{src,client,panel,bench}/**/*.{ts,tsx}', { cwd: root }).filter(isSource)

const known = new Map<string, { target: string; typeOnly: boolean }[]>()

function importsOf(file: string) {
  let found = known.get(file)
  if (!found) known.set(file, (found = readImports(file)))
  return found
}

/** What a file imports, by path from the root or by package name. Erased imports count for client and panel only there. */
function readImports(file: string): { target: string; typeOnly: boolean }[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(
    /(?:^|\n)\s*(import|export)( type)?[^'"\n]*?(?:\{[^}]*\}[^'"\n]*)?from '([^']+)'|import\('([^']+)'\)/g,
  )
  return [...found].map(([, , type, from, dynamic]) => {
    const name = (from ?? dynamic)!
    return { target: name.startsWith('.') ? join(file, '..', name) : name, typeOnly: type !== undefined }
  })
}

const layerOf = (path: string) =>
  layers.indexOf(
    path
      .replace(/^src\//, '')
      .replace(/\.ts$/, '')
      .split('/')[0]!,
  )

test('there is something to check', () => {
  expect(files.length).toBeGreaterThan(40)
  expect(files.flatMap(importsOf).length).toBeGreaterThan(100)
})

test('a file imports only lower layers', () => {
  for (const file of files.filter(name => name.startsWith('src/'))) {
    expect(layerOf(file), `${file} has no place in the list`).toBeGreaterThanOrEqual(0)
    for (const { target } of importsOf(file).filter(found => found.target.startsWith('src/')))
      expect(layerOf(target), `${target} comes after ${file} in the list`).toBeLessThanOrEqual(layerOf(file))
  }
})

test('a file uses only the libraries of its place', () => {
  for (const file of files)
    for (const { target, typeOnly } of importsOf(file)) {
      if (target === 'kysely' || target === 'pg')
        expect(file, `${file} imports ${target}`).toMatch(/^src\/store\/|\/queries\.ts$/)
      if (target === 'fastify' && file.startsWith('src/'))
        expect(file, `${file} imports ${target}`).toBe('src/server.ts')
      if (file.startsWith('src/store/migrations/')) expect(target, `${file} imports ${target}`).toBe('kysely')
      if (file.startsWith('client/'))
        expect(target.startsWith('client/') || (typeOnly && target === 'src/api.ts'), `${file} imports ${target}`).toBe(
          true,
        )
      if (file.startsWith('panel/ui/')) expect(target, `${file} imports ${target}`).toMatch(/^panel\/ui\/|^[^.]/)
    }
})

test('no file is in an import cycle', () => {
  const graph = new Map(files.map(file => [file, importsOf(file).map(({ target }) => target)]))
  const done = new Set<string>()
  function visit(file: string, path: string[]): void {
    expect(path, `cycle: ${[...path, file].join(' → ')}`).not.toContain(file)
    if (done.has(file)) return
    for (const target of graph.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
})
