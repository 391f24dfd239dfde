import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBlueprints, writeBlueprint } from '../../test/blueprints.ts'
import { cleanEnvironment, quoin, spawnQuoin } from '../../test/program.ts'

const bin = join(import.meta.dirname, '../../bin/quoin.mjs')
const note = (field: string) => `fields: { ${field}: { type: text } }`

test('the types of a site are written to its folder, or to another file', async () => {
  const site = createBlueprints({ 'pages/note.yml': note('words'), 'pages/odd.yml': note('- -') })
  const run = await spawnQuoin(['types', site], { cwd: site })
  expect(run).toEqual({
    code: 0,
    stdout: 'Written: quoin.types.ts\n',
    stderr: 'quoin: there are mistakes in the blueprints; "quoin check" lists them.\n',
  })
  expect(readFileSync(join(site, 'quoin.types.ts'), 'utf8')).toContain('words: string')
  const out = join(site, 'mine.ts')
  writeFileSync(out, 'export {}\n')
  const refused = await quoin(['types', site, '--out', out, '--watch'])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('mine.ts was not made by this command and is not overwritten.')
  const nowhere = await quoin(['types', site, '--out', join(site, 'no/such/types.ts'), '--json'])
  expect(nowhere.code).toBe(1)
  expect(JSON.parse(nowhere.stdout)).toMatchObject({ status: 'error', messages: [expect.stringContaining('ENOENT')] })
})

test('--watch updates them when a blueprint changes, until stopped', async () => {
  const site = createBlueprints({ 'pages/note.yml': note('words') })
  const child = spawn(process.execPath, [bin, 'types', site, '--watch', '--json'], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const nextLine = async () => JSON.parse(String(((await once(child.stdout, 'data')) as [Buffer])[0])) as object
  expect(await nextLine()).toMatchObject({ status: 'ok', written: true })
  const again = nextLine()
  writeBlueprint(site, 'pages/note.yml', note('pictures'))
  expect(await again).toMatchObject({ status: 'ok', written: true })
  expect(readFileSync(join(site, 'quoin.types.ts'), 'utf8')).toContain('pictures: string')
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
