import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLruCache } from './lru-cache.ts'

test('a stored value is found until it is deleted', () => {
  const memo = createLruCache<number>(10)
  memo.set('a', 1)
  memo.set('a', 2)
  expect([memo.get('a'), memo.get('b')]).toEqual([2, undefined])
  memo.delete('a')
  expect(memo.get('a')).toBeUndefined()
})

test('used entries stay, unused ones are evicted', () => {
  const memo = createLruCache<number>(10)
  memo.set('used', 1)
  memo.set('unused', 2)
  for (let count = 0; count < 100; count++) {
    memo.set(`other ${count}`, count)
    expect(memo.get('used')).toBe(1)
  }
  expect(memo.get('unused')).toBeUndefined()
})

test('an entry that is set again and again does not evict the others', () => {
  const memo = createLruCache<number>(10)
  memo.set('rare', 1)
  for (let count = 0; count < 100; count++) memo.set('frequent', count)
  for (let count = 0; count < 100; count++) {
    memo.set('temporary', count)
    memo.delete('temporary')
  }
  expect([memo.get('rare'), memo.get('frequent')]).toEqual([1, 99])
})

test('a value that is too large replaces the former one by nothing', () => {
  const memo = createLruCache<string>(40, (_, value) => value.length)
  memo.set('a', 'short')
  memo.set('a', 'longer than a quarter')
  expect(memo.get('a')).toBeUndefined()
})

test('it only returns the last value of a key, and stays within its limit', () => {
  const step = fc.tuple(
    fc.constantFrom('get', 'set', 'delete'),
    fc.constantFrom(...'abcdefghijklmnop'.split('')),
    fc.integer(),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), steps => {
      const memo = createLruCache<number>(6)
      const model = new Map<string, number>()
      for (const [what, key, value] of steps) {
        if (what === 'set') {
          memo.set(key, value)
          model.set(key, value)
        } else if (what === 'delete') {
          memo.delete(key)
          model.delete(key)
        } else expect([undefined, model.get(key)]).toContain(memo.get(key))
      }
      const kept = 'abcdefghijklmnop'.split('').filter(key => memo.get(key) !== undefined)
      for (const key of kept) expect(model.has(key)).toBe(true)
    }),
  )
})
