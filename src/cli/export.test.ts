import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf } from '../../test/folders.ts'
import { createSite, quoin } from '../../test/program.ts'

test('a site is exported with a report; a folder that was not created by an export is not replaced', async () => {
  const { folder: site, environment } = await createSite()
  const run = (args: string[]) => quoin([...args, '--site', site], { environment, input: '' })
  const source = folderOf({ 'content/site.txt': 'Title: Fog', 'content/1_one/default.txt': 'Title: One' })
  expect(await run(['import', source])).toMatchObject({ code: 0 })
  const out = join(folderOf({}), 'out')
  const result = await run(['export', out, '--json'])
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(result.stdout)).toMatchObject({ status: 'ok', folder: out, counts: { pages: 1 }, skipped: [] })
  expect(readFileSync(join(out, 'content/1_one/default.txt'), 'utf8')).toMatch(/^Title: One\n\n----\n\nUuid: /)
  const refused = await run(['export', source])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toMatch(/is not empty and was not created by an export/)
})
