import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const built = join(import.meta.dirname, '../../dist/panel')
const gzipped = (name: string) => gzipSync(readFileSync(join(built, 'assets', name)), { level: 9 }).length

/** A file and its static imports. */
function withImports(name: string, visited = new Set<string>()): Set<string> {
  if (visited.has(name)) return visited
  visited.add(name)
  const text = readFileSync(join(built, 'assets', name), 'utf8')
  for (const [, imported] of text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) withImports(imported!, visited)
  return visited
}

const page = () => readFileSync(join(built, 'index.html'), 'utf8')
const entry = () => /src="\.\/assets\/([^"]+\.js)"/.exec(page())![1]!

/** Bytes of files and their static imports. */
function sizeOf(names: readonly string[]): number {
  const files = [...new Set(names.flatMap(name => [...withImports(name)]))]
  return files.map(gzipped).reduce((sum, size) => sum + size)
}

test('the sign-in loads at most 110 kB of JavaScript', () => {
  const preloaded = [...page().matchAll(/modulepreload"[^>]*href="\.\/assets\/([^"]+\.js)"/g)].map(([, name]) => name!)
  const screen = readdirSync(join(built, 'assets')).filter(name => /^signin-.*\.js$/.test(name))
  expect(sizeOf([entry(), ...preloaded, ...screen])).toBeLessThanOrEqual(110_000)
})

// Without the preload, the texts would delay the form by a round trip.
test('the sign-in form is preloaded with its texts', () => {
  const [, names] = /name="quoin-signin" content="([^"]+)"/.exec(page())!
  const texts = names!.split(' ').map(name => readFileSync(join(built, name), 'utf8'))
  expect(texts.filter(text => text.includes('"signin.submit":'))).toHaveLength(1)
})

test('the editor of a page with blocks loads at most 450 kB of JavaScript', () => {
  const files = readdirSync(join(built, 'assets')).filter(name => name.endsWith('.js'))
  const isPageScreen = (name: string) =>
    name.startsWith('screen-') && readFileSync(join(built, 'assets', name), 'utf8').includes('pages.changeTemplate')
  const needed = files.filter(name => /^(app|early-shell|blocks-field|writer-field)-/.test(name) || isPageScreen(name))
  expect(needed).toHaveLength(5)
  expect(sizeOf([entry(), ...needed])).toBeLessThanOrEqual(450_000)
})

test('the style sheet is small, and no file is needlessly large', () => {
  const files = readdirSync(join(built, 'assets'))
  const larger = (ending: string, limit: number) => files.filter(name => name.endsWith(ending) && gzipped(name) > limit)
  expect([...larger('.css', 20_000), ...larger('.js', 160_000)]).toEqual([])
})

test('the rich text editor is loaded only where it is needed', () => {
  const all = readdirSync(join(built, 'assets')).filter(name => name.endsWith('.js'))
  const withEditor = all.filter(name => readFileSync(join(built, 'assets', name), 'utf8').includes('ProseMirror'))
  const app = all.find(name => name.startsWith('app-'))!
  expect(withEditor.length).toBeGreaterThan(0)
  expect([...withImports(app)].filter(name => withEditor.includes(name))).toEqual([])
})
