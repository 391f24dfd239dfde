import { relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBlueprints, writeBlueprint } from '../../test/blueprints.ts'
import { createSite, quoin, serve, spawnQuoin } from '../../test/program.ts'
import { isSlow } from '../../test/slow.ts'

const wrong = { 'pages/note.yml': 'title: Note\nfields:\n  text: {type: txet}\n  day: {type: date, tiem: true}\n' }
const messages = [
  'blueprints/pages/note.yml:3:10 there is no field type "txet"; do you mean "text"?',
  'blueprints/pages/note.yml:4:21 there is no setting "tiem" here; do you mean "time"?',
]

test('quoin check --help prints the usage', async () => {
  const { code, stdout } = await quoin(['check', '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain('Usage: quoin check [options] [site]')
})

test('a valid site has no problems', async () => {
  const site = createBlueprints({ 'pages/note.yml': 'title: Note\nfields:\n  text: true' })
  expect(await quoin(['check', site])).toEqual({ code: 0, stdout: 'The blueprints are in order.\n', stderr: '' })
  const { code, stdout } = await quoin(['check', site, '--json'])
  expect({ code, parsed: JSON.parse(stdout) as unknown }).toEqual({ code: 0, parsed: { status: 'ok', problems: [] } })
})

test('every problem is one line, and the exit code is 1', async () => {
  const site = createBlueprints(wrong)
  const here = await spawnQuoin(['check'], { cwd: site })
  expect(here).toEqual({ code: 1, stdout: `${messages.join('\n')}\n`, stderr: '' })
  const elsewhere = await quoin(['check', site])
  expect(elsewhere.stdout).toBe(`${messages.map(line => `${relative('', site)}/${line}`).join('\n')}\n`)
})

test('--json prints JSON for scripts', async () => {
  const { code, stdout } = await quoin(['check', createBlueprints(wrong), '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual({
    status: 'error',
    problems: [
      { file: 'blueprints/pages/note.yml', line: 3, column: 10, message: expect.stringContaining('txet') },
      { file: 'blueprints/pages/note.yml', line: 4, column: 21, message: expect.stringContaining('tiem') },
    ],
  })
})

test('a folder without a site is wrong usage', async () => {
  const { code, stderr } = await quoin(['check', createBlueprints()])
  expect(code).toBe(2)
  expect(stderr).toContain('There is no site in')
})

test('the server starts despite problems, logs them, and reloads the correction', async () => {
  const site = await createSite()
  for (const [name, text] of Object.entries(wrong)) writeBlueprint(site.folder, name, text)
  const server = await serve(site)
  const problems = () =>
    server
      .output()
      .split('\n')
      .flatMap(line => (line.includes('blueprint: ') ? [JSON.parse(line) as Record<string, unknown>] : []))
  while (problems().length < 2) await wait(20)
  expect(problems()).toMatchObject([
    { level: 40, file: 'blueprints/pages/note.yml', line: 3, column: 10 },
    { level: 40, file: 'blueprints/pages/note.yml', line: 4, column: 21, msg: expect.stringContaining('"tiem"') },
  ])
  writeBlueprint(site.folder, 'pages/note.yml', 'title: Note\nstauts: true')
  while (problems().length < 3) await wait(20)
  expect(problems()[2]).toMatchObject({ line: 2, msg: expect.stringContaining('"stauts"') })
  expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null })
})

test.runIf(isSlow)('in production blueprints are not reloaded', async () => {
  const site = await createSite({ QUOIN_DEVELOPMENT: 'false' })
  writeBlueprint(site.folder, 'pages/note.yml', 'title: Note')
  const server = await serve(site)
  writeBlueprint(site.folder, 'pages/note.yml', 'stauts: true')
  await wait(1000)
  expect(server.output()).not.toContain('stauts')
})
