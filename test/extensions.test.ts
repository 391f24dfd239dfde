/** The examples of extensions, all in one site. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { api } from '../src/api.ts'
import { listEndpoints } from '../src/http/endpoint.ts'
import settings from '../examples/extensions/quoin.config.ts'
import { filesIn } from './guide-samples.ts'
import { createTestApp } from './harness.ts'

const folder = join(import.meta.dirname, '../examples/extensions')
const examples = readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
  entry.isDirectory() ? [entry.name] : [],
)

interface Document {
  tags: { name: string }[]
  paths: Record<string, Record<string, { tags?: string[] }>>
}

const site = await createTestApp({ settings })
const { tags, paths } = (await site.request({ url: '/openapi.json' })).json<Document>()
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    (operation.tags ?? []).map(group => ({ name: `${method.toUpperCase()} ${path}`, path, group })),
  ),
)
const groups = ['Authentication', 'Languages', 'Pages', 'Roles', 'Site', 'System', 'Translations', 'Users']

test('every example is in the site', () => {
  expect(examples).toContain('isbn')
  expect(site.app.extensions.list.map(({ name }) => name).toSorted()).toEqual(examples.toSorted())
})

test('with all of them the eight groups come first, unchanged, and Authentication has three operations', () => {
  expect(tags.slice(0, groups.length).map(({ name }) => name)).toEqual(groups)
  const own = operations.filter(({ group }) => groups.includes(group))
  expect(own.length).toBe([...listEndpoints(api)].length)
  expect(own.filter(({ group }) => group === 'Authentication').map(({ name }) => name)).toEqual([
    'GET /api/auth',
    'POST /api/auth/login',
    'POST /api/auth/logout',
  ])
})

test('the paths of an extension begin with /api/extensions/ and its name; no path has a version', () => {
  expect(operations.map(({ name }) => name)).toContain('POST /api/extensions/newsletter/subscribers')
  for (const { path, group } of operations) {
    expect(path).not.toMatch(/\/v\d/)
    expect([path, path.startsWith('/api/extensions/')]).toEqual([path, !groups.includes(group)])
    if (!groups.includes(group)) expect(examples).toContain(path.split('/')[3])
  }
})

const filesOf = (example: string, pattern: string) =>
  globSync(pattern, { cwd: join(folder, example) })
    .filter(file => !file.endsWith('.test.ts'))
    .map(file => [file, readFileSync(join(folder, example, file), 'utf8')] as const)

test.each(examples)('%s has less than 150 lines and imports nothing but its files, Quoin and Node', example => {
  const text = filesOf(example, '**/*.{ts,yml}')
    .map(([, code]) => code)
    .join('')
  expect(text.split('\n').length - 1).toBeLessThan(150)
  for (const [, name] of text.matchAll(/ from '([^']+)'/g)) expect(name).toMatch(/^(?:quoin(?:\/panel)?$|node:|\.)/)
})

test.each(examples)('the guide shows %s', example => {
  const samples = filesIn('docs/guide/extending.md')
  for (const [file, code] of filesOf(example, '**/*.ts'))
    expect(samples[`extensions/${file}`]).toBe(`// extensions/${file}\n${code}`)
})
