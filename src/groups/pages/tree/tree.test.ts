import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestApp } from '../../../../test/harness.ts'
import { addPage, type ApiResponse, createTokenClient } from '../../../../test/pages.ts'
import { createLanguage } from '../../../content/languages/languages.ts'
import type { PagesTable } from '../../../platform/store/tables/content.ts'
import { RetryTransaction, type Tx } from '../../../platform/store/store.ts'
import { operatorContext } from '../../../cli/site.ts'
import { isFirstEngine, rounds } from '../../../../test/slow.ts'

// A busy machine needs more time.
const site = await createTestApp({ settings: { database: { timeout: 20 } } })
const admin = await createTokenClient(site)
const { store } = site.app

/** So many children at once, without any content. */
async function addMany(parent: string, path: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index): PagesTable => {
    const slug = `n${index}`
    const more = {
      status: 'unlisted',
      num: null,
      template: 'default',
      revision: 1,
      created_at: 0,
      modified_at: 0,
    } as const
    return { uuid: `${parent}-${index}`, parent, path: `${path}/${slug}`, slug, ...more }
  })
  await store.write(async tx => {
    for (let start = 0; start < count; start += 1000)
      await tx
        .insertInto('pages')
        .values(rows.slice(start, start + 1000))
        .execute()
  })
}

test.runIf(isFirstEngine)(
  'a page with thousands of descendants is renamed, moved and deleted',
  async () => {
    const many = await addPage(site, '', { slug: 'many' })
    await addPage(site, '', { slug: 'shelf' })
    const count = rounds(2501, 10_001)
    await addMany(many, 'many', count)
    expect((await admin.done('PATCH', 'pages/many/slug', { slug: 'most' })).data.id).toBe('most')
    expect((await admin.done('GET', `pages/most+n${count - 1}`)).data.id).toBe(`most/n${count - 1}`)
    expect((await admin.done('PATCH', 'pages/most/move', { parent: 'shelf' })).data.id).toBe('shelf/most')
    expect((await admin.done('GET', 'pages/shelf+most+n0')).data.id).toBe('shelf/most/n0')
    await admin.done('DELETE', 'pages/shelf+most', { force: true })
    const left = await store.db.selectFrom('pages').select('uuid').where('parent', '=', many).execute()
    expect(left).toEqual([])
  },
  60_000,
)

test('a conflicting transaction is retried from the start, and fails in the end', async () => {
  let runs = 0
  const work = () =>
    store.write(async () => {
      if (++runs < 3) throw new RetryTransaction()
      return runs
    })
  expect(await work()).toBe(3)
  await expect(
    store.write(() => {
      runs++
      throw new RetryTransaction()
    }),
  ).rejects.toMatchObject({ key: 'busy' })
  expect(runs).toBe(8)
})

/** Waits until another transaction waits for a lock of this one. */
async function somebodyWaits(tx: Tx): Promise<void> {
  const waiting = sql<{
    pid: number
  }>`select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
  while ((await waiting.execute(tx)).rows.length === 0);
}

test.runIf(store.name === 'postgres')('deleting a page locks the languages before its slugs', async () => {
  for (const code of ['en', 'de']) await createLanguage(operatorContext(site.app), { code })
  const going = await addPage(site, '', { slug: 'going' })
  await admin.done('PATCH', 'pages/going/slug?language=de', { slug: 'geht' })
  let deleted: Promise<ApiResponse> | undefined
  await store.write(async tx => {
    await tx.selectFrom('languages').select('code').orderBy('code').forUpdate().execute()
    deleted = admin.call('DELETE', 'pages/going')
    await somebodyWaits(tx)
    // Else we would wait for each other.
    await tx.selectFrom('page_slugs').select('slug').where('page', '=', going).forUpdate().noWait().execute()
  })
  expect((await deleted)?.status).toBe(200)
})

test.runIf(store.name === 'postgres')('pages are created concurrently, also with languages', async () => {
  await createLanguage(operatorContext(site.app), { code: 'fr' })
  const parent = await addPage(site, '', { slug: 'busy' })
  // Another transaction creates a page there, and takes long.
  await store.write(async tx => {
    await tx.selectFrom('pages').select('uuid').where('uuid', '=', parent).forKeyShare().execute()
    await tx.selectFrom('site').select('one').forKeyShare().execute()
    // Another one is giving the children numbers.
    await tx.selectFrom('pages').select('uuid').where('uuid', '=', parent).forNoKeyUpdate().execute()
    await admin.done('POST', 'pages/busy/children', { slug: 'beside' })
    await admin.done('POST', 'site/children', { slug: 'beside' })
  })
})
