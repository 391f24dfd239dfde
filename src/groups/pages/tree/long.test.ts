/** Operations on a large branch: one transaction, and reads do not wait for it. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import { createTestApp, engine, type TestApp } from '../../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../../test/pages.ts'
import { lockPageRow, selectPath } from './queries.ts'

const count = 220

async function createBranch(site: TestApp): Promise<string> {
  const top = await addPage(site, '', { slug: 'top', title: 'Top', draft: false })
  const children = Array.from({ length: count }, (_, number) => number)
  await Promise.all(
    children.map(number => addPage(site, top, { slug: `p${number}`, title: `P ${number}`, draft: false })),
  )
  return top
}

/** How many pages are below each of these at one moment. */
async function countsBelow({ app: { store } }: TestApp, ...paths: string[]): Promise<string> {
  const rows = await store.read(store.db.selectFrom('pages').select('path').compile())
  return paths.map(path => rows.filter(row => (row as { path: string }).path.startsWith(`${path}/`)).length).join()
}

test('a large subtree is renamed, moved, copied and deleted atomically, while other requests are served', async () => {
  const site = await createTestApp({ quiet: true })
  const admin = await createTokenClient(site)
  await createBranch(site)
  await addPage(site, '', { slug: 'other', title: 'Other', draft: false })
  await addPage(site, '', { slug: 'elsewhere', title: 'Elsewhere', draft: false })

  const operations = [
    ['PATCH', 'pages/top/slug', { slug: 'new' }, ['top', 'new'], ['220,0', '0,220']],
    ['PATCH', 'pages/new/move', { parent: 'elsewhere' }, ['new', 'elsewhere/new'], ['220,0', '0,220']],
    ['POST', 'pages/elsewhere+new/duplicate', { slug: 'copy', children: true }, ['elsewhere/copy'], ['0', '220']],
    ['DELETE', 'pages/elsewhere+copy', { force: true }, ['elsewhere/copy'], ['220', '0']],
  ] as const
  for (const [method, path, body, places, states] of operations) {
    const observed = new Set<string>()
    const during = { isOver: false, isLong: false, reads: 0 }
    const operation = admin.done(method, path, body).finally(() => (during.isOver = true))
    await nextTurn()
    const write = admin.done('PATCH', 'pages/other', { content: { note: path } })
    while (!during.isOver) {
      during.isLong ||= site.app.store.isWritingLong()
      expect((await admin.call('GET', 'pages/other?select=id')).status).toBe(200)
      if (!during.isOver) during.reads++
      observed.add(await countsBelow(site, ...places))
      await nextTurn()
    }
    await operation
    await write
    expect(states).toEqual(expect.arrayContaining([...observed]))
    expect(await countsBelow(site, ...places)).toBe(states[1])
    expect({ path, ...during, reads: during.reads > 0 }).toEqual({
      path,
      isOver: true,
      isLong: engine === 'sqlite',
      reads: true,
    })
  }
  const found = await admin.done('GET', 'site/search?q=P&limit=1')
  expect(found.status).toBe(200)
})

test.runIf(engine === 'sqlite')('a slow statement of a long transaction does not block the event loop', async () => {
  const { store } = (await createTestApp({ quiet: true })).app
  const slow = CompiledQuery.raw(
    'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 500000) select max(n) from numbers',
  )
  async function turnsDuring(isLong: boolean): Promise<number> {
    let turns = 0
    await store.write(
      async tx => {
        await nextTurn() // the code that began the transaction has ended
        const running = { isOver: false }
        const statement = tx.executeQuery(slow).finally(() => (running.isOver = true))
        while (!running.isOver) {
          await nextTurn()
          turns++
        }
        await statement
      },
      { isLong },
    )
    return turns
  }
  expect(await turnsDuring(false)).toBeLessThanOrEqual(1)
  expect(await turnsDuring(true)).toBeGreaterThan(10)
})

test.runIf(engine === 'postgres')('a writer waits for locked rows', async () => {
  const site = await createTestApp({ settings: { database: { timeout: 1 } }, quiet: true })
  const admin = await createTokenClient(site)
  const uuid = await addPage(site, '', { slug: 'top', title: 'Top', draft: false })
  const { store } = site.app
  const { promise: locked, resolve: hasLocked } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const holder = store.write(async tx => {
    await lockPageRow(tx, { uuid })
    await selectPath(tx, uuid) // the lock is deferred until the next statement
    hasLocked()
    await released
  })
  await locked
  const write = admin.done('PATCH', 'pages/top', { content: { note: 'waits' } })
  await sleep(1200) // longer than the time-outs for locks (0.5 s) and statements (1 s)
  release()
  await holder
  await write
})
