import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestApp, engine } from '../../test/harness.ts'
import { createTokenClient } from '../../test/pages.ts'
import { createSite, quoin, serve, spawnQuoin } from '../../test/program.ts'
import { isSlow } from '../../test/slow.ts'
import { starter } from '../../test/starter.ts'

test('a new site is created in an empty folder, and its first start fills the store', async () => {
  const site = await createSite({}, { migrated: false })
  const folder = join(site.storage.data, "a reader's room")
  const run = await spawnQuoin(['init', folder], { cwd: site.storage.data })
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(run.stdout).toContain("  cd 'a reader'\\''s room'\n  npm install\n  npx quoin start\n")
  expect(readdirSync(folder).toSorted()).toEqual([
    '.gitignore',
    'blueprints',
    'content',
    'package.json',
    'quoin.config.ts',
  ])
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    name: 'a-readers-room',
    private: true,
    type: 'module',
    dependencies: { quoin: expect.stringMatching(/^file:/) as string },
  })

  // As `cp -r starter elsewhere`. The configuration imports `quoin`: the running program, not an installed release.
  rmSync(join(folder, 'package.json'))
  mkdirSync(join(folder, 'node_modules/quoin'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/quoin/package.json'), '{ "name": "quoin", "exports": "./missing.js" }')
  writeFileSync(join(folder, 'quoin.types.ts'), '')
  const server = await serve({ ...site, folder })
  expect(server.setup).toBeDefined()
  expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null })
  // While developing, types that are there follow the blueprints.
  expect(readFileSync(join(folder, 'quoin.types.ts'), 'utf8')).toContain('export interface Blueprints')
  const reader = await createTokenClient(await createTestApp({ storage: site.storage }))
  const { data } = await reader.done('GET', 'site/children?status=all')
  expect(data.map(({ id }: { id: string }) => id)).toEqual(['notes', 'about', 'error', 'home'])
}, 120_000)

test.runIf(isSlow && engine === 'sqlite')(
  'a site with an extension, which the server serves',
  async () => {
    const site = await createSite({}, { migrated: false })
    const folder = join(site.storage.data, 'extended')
    expect(await quoin(['init', folder, '--with-extension'])).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(folder)).toContain('extensions')
    // `npm run types` compiles it.
    const [created, ours] = [folder, starter].map(place => readFileSync(join(place, 'extensions/tags.ts'), 'utf8'))
    expect(created).toBe(ours)
    const compilerOptions = { module: 'nodenext', strict: true, erasableSyntaxOnly: true, noEmit: true }
    expect(JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'))).toMatchObject({ compilerOptions })
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: object }
    expect(scripts).toMatchObject({ 'types:check': 'tsc' })
    expect(await spawnQuoin(['types', folder], site)).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(folder, 'quoin.types.ts'), 'utf8')).toMatch(/extensions: \{\s*tags: \{\s*counts/)
    const server = await serve({ ...site, folder })
    const answer = await server.send({ path: '/api/extensions/tags/counts' })
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { counts: expect.any(Object) as object }])
    expect(Object.keys((JSON.parse(answer.body) as { counts: object }).counts).length).toBeGreaterThan(0)
    expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null })
  },
  120_000,
)

test.runIf(engine === 'sqlite')('existing files are never touched', async () => {
  const { storage } = await createSite()
  const [folder, file] = [join(storage.data, 'mine'), join(storage.data, 'file')]
  mkdirSync(folder)
  writeFileSync(join(folder, '.env'), 'x')
  writeFileSync(file, 'x')
  expect(await quoin(['init', folder])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('There is something in') as string,
  })
  expect(readdirSync(folder)).toEqual(['.env'])
  const run = await quoin(['init', file, '--json'])
  expect(run.code).toBe(2)
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'error', messages: [expect.stringContaining('is a file')] })
})
