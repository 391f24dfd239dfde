import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { password } from '../../test/harness.ts'
import { createSite, quoin, type Site } from '../../test/program.ts'

const site = await createSite()
const run = ({ folder, environment }: Site, command: string, ...args: string[]) =>
  quoin([command, ...args, '--site', folder], { environment })
const archive = join(site.storage.data, 'site.tar.gz')

test('a site is backed up, restored, copied and checked', async () => {
  const { folder, environment } = site
  const created = await quoin(['user', 'create', '--email', 'a@example.org', '--password-stdin', '--site', folder], {
    environment,
    input: password,
  })
  expect(created).toMatchObject({ code: 0, stderr: '' })
  const result = await run(site, 'backup', archive)
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).toMatch(/^\d+ rows and 0 files \(0 bytes\) are in .*\nSHA-256 {2}[0-9a-f]{64}\nThe secrets of/)
  expect(statSync(archive).mode & 0o777).toBe(0o600)

  const other = await createSite({}, { migrated: false })
  const restored = await run(other, 'restore', archive, '--json')
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(restored.stdout)).toMatchObject({ status: 'ok', dryRun: false, secrets: true, missing: [] })
  const checked = await quoin(['check', other.folder, '--data'], { environment: other.environment })
  expect(checked.stdout).toContain('The data is in order.')
  const again = await run(other, 'restore', archive)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toBe('quoin: There is a site in this store already. --force replaces all of it.\n')

  const copied = await run(site, 'copy', '--to', join(site.storage.data, 'copy.db'), '--json')
  expect(copied).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(copied.stdout)).toMatchObject({ status: 'ok', found: 0, tables: { users: { rows: 1 } } })
})

test('a damaged archive and a wrong address are errors of one line', async () => {
  const bad = join(site.storage.data, 'bad.tar')
  writeFileSync(bad, readFileSync(archive).subarray(0, 1000))
  const cases: [code: number, line: string, ...args: string[]][] = [
    [1, 'cannot be unpacked', 'restore', bad, '--force'],
    [2, 'must be postgres://', 'copy', '--to', 'mysql://somewhere'],
  ]
  for (const [code, line, command, ...args] of cases) {
    const failed = await run(site, command!, ...args)
    expect(failed).toMatchObject({ code, stdout: '' })
    expect(failed.stderr).toMatch(new RegExp(`^quoin: .*${line}.*\n$`))
  }
})
