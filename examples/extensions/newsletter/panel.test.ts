import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { expectAccessible, openPanel } from '../../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { isSlow } from '../../../test/slow.ts'
import { newsletter } from './newsletter.ts'

test.runIf(isSlow)(
  'the screen has a table of subscribers and downloads them, for accounts that may see them',
  async () => {
    const storage = await createTestStorage()
    writeBlueprints(storage.data, {
      'users/reader.yml': 'title: Reader\npermissions: { newsletter: { read: false } }',
    })
    const extension = newsletter({ url: 'https://www.example.org/newsletter', templates: ['note'] })
    const panel = await openPanel({ storage, settings: { extensions: [extension] } })
    const emails = ['=cmd@example.org', ...Array.from({ length: 104 }, (_, at) => `reader-${100 + at}@example.org`)]
    const row = {
      extension: 'newsletter',
      collection: 'subscribers',
      index_1: 'confirmed',
      index_2: 'x',
      index_3: null,
    }
    const times = { version: 1, created_at: 0, modified_at: 0 }
    const rest = { state: 'confirmed', token: 'x', time: '2026-05-01T10:00:00Z' }
    await panel.site.app.store.db
      .insertInto('documents')
      .values(emails.map(email => ({ ...row, ...times, key: email, value: JSON.stringify({ email, ...rest }) })))
      .execute()

    const page = await panel.open({ as: await addUser(panel.site), at: '/' })
    await page.getByRole('link', { name: 'Newsletter' }).click()
    await page.getByRole('cell', { name: 'reader-203@example.org' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(1 + emails.length)
    await expectAccessible(page)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const file = await downloading
    expect(file.suggestedFilename()).toBe('subscribers.csv')
    const lines = (await text(await file.createReadStream())).split('\r\n')
    expect(lines).toHaveLength(2 + emails.length)
    expect(lines.slice(0, 2)).toEqual(['"E-mail","State","Since"', `"'=cmd@example.org","confirmed","2026-05-01"`])

    const other = await panel.open({ as: { role: 'reader' }, at: '/' })
    await other.getByRole('link', { name: 'Site' }).first().waitFor()
    expect(await other.getByRole('link', { name: 'Newsletter' }).count()).toBe(0)
  },
)
