/** The OpenAPI document works with other tools: a linter has no warnings, and the clients of two generators compile. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api } from '../src/api.ts'
import { openapi } from '../src/openapi.ts'
import { isSlow } from './slow.ts'

/** Installed for this test only: together they are larger than all our development dependencies. */
const packages = [
  '@redocly/cli@2.77.0',
  'openapi-typescript@7.13.0',
  '@hey-api/openapi-ts@0.99.0',
  'typescript@5.9.3', // the generators need the JavaScript API of the compiler, which version 7 does not have
]

const useOfTypes = `import type { operations, paths } from './types.ts'
type Answer = paths['/api/pages/{id}']['get']['responses'][200]['content']['application/json']
export const path: operations['pages.get']['parameters']['path'] = { id: 'notes+storm' }
export const titleOf = (answer: Answer): string | undefined => answer.data.title
export const body: NonNullable<operations['pages.changeTitle']['requestBody']>['content']['application/json'] = { title: 'x' }
`
const useOfClient = `import { pagesChangeTitle, pagesGet } from './client/index.ts'
export const read = () => pagesGet({ path: { id: 'notes+storm' }, query: { select: 'id,title' } })
export const change = () => pagesChangeTitle({ path: { id: 'notes+storm' }, body: { title: 'x' } })
`

describe.runIf(isSlow)('tools that read the OpenAPI document', () => {
  let folder = ''
  const run = (program: string, ...options: string[]) =>
    execFileSync(program, options, { cwd: folder, encoding: 'utf8' })
  const tool = (name: string, ...options: string[]) => run(join(folder, 'node_modules/.bin', name), ...options)
  const compile = (file: string) =>
    run(process.execPath, join(import.meta.dirname, '../node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023', '--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions', '--lib', 'es2023,dom,dom.iterable', file) // prettier-ignore

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quoin-generators-'))
    const document = openapi(api, { url: 'https://cms.acme.org', base: '', secure: true })
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
    run('npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('the linter has no warning', () => {
    const report = JSON.parse(tool('redocly', 'lint', 'openapi.json', '--format=json')) as { totals: object }
    expect(report.totals).toMatchObject({ errors: 0, warnings: 0 })
  })

  test('openapi-typescript: the types compile and name our operations', () => {
    tool('openapi-typescript', 'openapi.json', '-o', 'types.ts')
    writeFileSync(join(folder, 'use-types.ts'), useOfTypes)
    expect(compile('use-types.ts')).toBe('')
  })

  test('@hey-api/openapi-ts: the client compiles', () => {
    tool('openapi-ts', '-i', 'openapi.json', '-o', 'client')
    writeFileSync(join(folder, 'use-client.ts'), useOfClient)
    expect(compile('use-client.ts')).toBe('')
  })
})
