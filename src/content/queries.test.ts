import { beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/harness.ts'
import type { Store } from '../platform/store/store.ts'
import { decode, deleteContents, selectRows, upsertContent } from './queries.ts'

async function selectContent(store: Store, owner: string, language: string) {
  const [row] = await selectRows(store, [owner], [language])
  return row ? decode(row.data) : {}
}

let setup: TestApp
beforeAll(async () => {
  setup = await createTestApp()
})

test('content is stored by owner and language, and read unchanged', async () => {
  const { store } = setup.app
  const content = { title: 'Tide "machine"', text: 'Zeile\n🌊 \0 \u2028', __custom: '' }
  await store.write(async tx => {
    await upsertContent(tx, 'user://a', '', content)
    await upsertContent(tx, 'user://a', 'de', { title: 'Gezeitenmaschine' })
  })
  expect(await selectContent(store, 'user://a', '')).toEqual(content)
  expect(await selectContent(store, 'user://a', 'de')).toEqual({ title: 'Gezeitenmaschine' })
  expect(await selectContent(store, 'user://nobody', '')).toEqual({})
})

test('a second write replaces the first, with the time of the store', async () => {
  const { store } = setup.app
  const modified = async () =>
    (
      await store.db
        .selectFrom('contents')
        .select('modified_at')
        .where('owner', '=', 'user://b')
        .executeTakeFirstOrThrow()
    ).modified_at
  await store.write(tx => upsertContent(tx, 'user://b', '', { a: '1' }))
  const before = await modified()
  await setup.storage.moveClock(60_000)
  await store.write(tx => upsertContent(tx, 'user://b', '', { b: '2' }))
  expect(await selectContent(store, 'user://b', '')).toEqual({ b: '2' })
  expect((await modified()) - before).toBeGreaterThanOrEqual(60_000)
})

test('several contents are read at once; owners without content are missing', async () => {
  const { store } = setup.app
  await store.write(async tx => {
    for (const name of ['c', 'd']) await upsertContent(tx, `user://${name}`, '', { name })
    await upsertContent(tx, 'user://c', 'de', { name: 'C' })
  })
  const rows = await selectRows(store, ['user://c', 'user://d', 'user://x'], ['', 'de'])
  const found = new Map(rows.map(({ owner, language, data }) => [`${owner} ${language}`, decode(data)]))
  expect(Object.fromEntries(found)).toEqual({
    'user://c ': { name: 'c' },
    'user://c de': { name: 'C' },
    'user://d ': { name: 'd' },
  })
})

test('content is deleted in every language', async () => {
  const { store } = setup.app
  await store.write(async tx => {
    await upsertContent(tx, 'user://e', '', { a: '1' })
    await upsertContent(tx, 'user://e', 'de', { a: '2' })
    await upsertContent(tx, 'user://f', '', { a: '3' })
  })
  await store.write(tx => deleteContents(tx, ['user://e']))
  expect(await selectContent(store, 'user://e', '')).toEqual({})
  expect(await selectContent(store, 'user://e', 'de')).toEqual({})
  expect(await selectContent(store, 'user://f', '')).toEqual({ a: '3' })
})
