import { expect, test } from 'vitest'
import { batched } from './batch.ts'
import type { Store } from './store.ts'

const store = {} as Store

function counting(load: (keys: string[]) => Promise<{ key: string }[]>) {
  const calls: string[][] = []
  const read = batched(
    async (_: Store, keys: string[]) => {
      calls.push(keys)
      return load(keys)
    },
    row => row.key,
  )
  return { calls, read: (key: string) => read(store, key) }
}

const rows = (keys: string[]) => keys.filter(key => key !== 'missing').map(key => ({ key }))

test('concurrent lookups are one statement, each key once', async () => {
  const { calls, read } = counting(async keys => rows(keys))
  const answers = await Promise.all(['a', 'b', 'a', 'missing'].map(read))
  expect(answers).toEqual([{ key: 'a' }, { key: 'b' }, { key: 'a' }, undefined])
  expect(calls).toEqual([['a', 'b', 'missing']])
})

test('a lookup is never answered by an earlier statement', async () => {
  let state = 'old'
  const started = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const { read } = counting(async keys => {
    const stateAtStart = state
    started.resolve()
    await held.promise
    return keys.map(key => ({ key, seen: stateAtStart }))
  })
  const early = read('a')
  await started.promise
  state = 'new'
  const late = read('a')
  held.resolve()
  expect([await early, await late]).toEqual([
    { key: 'a', seen: 'old' },
    { key: 'a', seen: 'new' },
  ])
})

test('a failed statement fails for its own lookups only', async () => {
  let broken = true
  const { read } = counting(async keys => {
    if (broken) throw new Error('away')
    return rows(keys)
  })
  const results = await Promise.allSettled([read('a'), read('b')])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  broken = false
  expect(await read('a')).toEqual({ key: 'a' })
})

test('many lookups are several statements of limited size', async () => {
  const { calls, read } = counting(async keys => rows(keys))
  await Promise.all(Array.from({ length: 1000 }, (_, index) => read(String(index))))
  expect(calls.every(keys => keys.length <= 100)).toBe(true)
  expect(calls.flat()).toHaveLength(1000)
})
