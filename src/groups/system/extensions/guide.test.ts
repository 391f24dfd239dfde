import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runDue } from '../../../../test/background.ts'
import { samplesOf } from '../../../../test/guide-samples.ts'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { createTokenClient } from '../../../../test/pages.ts'
import { createMailServer } from '../../../../test/smtp.ts'
import { until } from '../../../../test/until.ts'
import { loadConfig } from '../../../platform/config.ts'
import { startExtensions } from '../../../extensions/start.ts'
import { startSending } from '../../../platform/mail/outbox.ts'

const document = (collection: string, key: string, value: object) => ({
  extension: 'newsletter',
  collection,
  key,
  value: JSON.stringify(value),
  index_1: null,
  index_2: null,
  index_3: null,
  version: 1,
  created_at: 0,
  modified_at: 0,
})

test('the newsletter of the guide sends a mail when a note is published, and forgets that after a month', async () => {
  const sample = samplesOf('docs/guide/extending.md').find(({ heading }) => heading === 'After a change')
  const server = await createMailServer()
  const storage = await createTestStorage()
  writeBlueprints(storage.data, { 'pages/note.yml': '{}', 'pages/letter.yml': '{}' })
  mkdirSync(join(storage.data, 'extensions'))
  writeFileSync(join(storage.data, 'extensions/newsletter.ts'), sample!.code)
  writeFileSync(
    join(storage.data, 'quoin.config.ts'),
    `import { newsletter } from './extensions/newsletter.ts'\nexport default { extensions: [newsletter()] }`,
  )
  const { extensions } = await loadConfig({ site: storage.data })
  const site = await createTestApp({ storage, settings: { ...server.settings, extensions: [...extensions] } })
  const { db } = site.app.store
  await db
    .insertInto('documents')
    .values(['ada', 'grace'].map(name => document('subscribers', name, { email: `${name}@example.org` })))
    .execute()
  await (
    await startExtensions(site.app, { every: 3_600_000 })
  )()
  const admin = await createTokenClient(site)
  for (const template of ['note', 'letter']) {
    await admin.done('POST', 'site/children', { slug: template, template, content: { title: `A ${template}` } })
    await admin.done('PATCH', `pages/${template}/status`, { status: 'listed' })
  }
  await runDue(site)
  const stop = startSending(site.app)
  await until(() => expect(server.mails).toHaveLength(2))
  await stop()
  expect(server.mails.map(({ to }) => to.join()).toSorted()).toEqual(['ada@example.org', 'grace@example.org'])
  expect(server.mails[0]!.headers).toMatchObject({ subject: 'A note' })
  expect(server.mails[0]!.text).toContain('/note')

  await db
    .insertInto('documents')
    .values(document('sent', 'long ago', { time: '2020-01-01T00:00:00Z' }))
    .execute()
  const sent = () => db.selectFrom('documents').select('key').where('collection', '=', 'sent').execute()
  expect(await sent()).toHaveLength(3)
  await admin.done('POST', 'system/extensions/newsletter/runs', { job: 'clean' })
  await runDue(site)
  expect(await sent()).toHaveLength(2)
})
