import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addUser, createTestApp, engine } from '../../../test/harness.ts'

test.runIf(engine === 'sqlite')('a closed store is one complete file', async () => {
  const site = await createTestApp()
  await addUser(site, { email: 'kept@example.org' })
  const file = join(site.storage.data, 'quoin.db')
  await site.close()
  expect(existsSync(`${file}-wal`)).toBe(false)
  const again = await createTestApp({ storage: site.storage })
  const users = await again.app.store.db.selectFrom('users').select('email').execute()
  expect(users).toEqual([{ email: 'kept@example.org' }])
})

test.runIf(engine === 'sqlite' && process.platform !== 'win32')(
  'other users cannot read the files of the store',
  async () => {
    const site = await createTestApp()
    await addUser(site)
    for (const name of ['quoin.db', 'quoin.db-wal', 'quoin.db-shm', 'secrets.json']) {
      expect([name, statSync(join(site.storage.data, name)).mode & 0o077]).toEqual([name, 0])
    }
  },
)
