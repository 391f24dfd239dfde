import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLruCache } from './lru-cache.ts'

test('a stored value is found until it is deleted', () => {
  const cache = createLruCache<number>(10)
  cache.set('a', 1)
  cache.set('a', 2)
  expect([cache.get('a'), cache.get('b')]).toEqual([2, undefined])
  cache.delete('a')
  expect(cache.get('a')).toBeUndefined()
})

test('used entries stay, unused ones are evicted', () => {
  const cache = createLruCache<number>(10)
  cache.set('used', 1)
  cache.set('unused', 2)
  for (let count = 0; count < 100; count++) {
    cache.set(`other ${count}`, count)
    expect(cache.get('used')).toBe(1)
  }
  expect(cache.get('unused')).toBeUndefined()
})

test('an entry that is set again and again does not evict the others', () => {
  const cache = createLruCache<number>(10)
  cache.set('rare', 1)
  for (let count = 0; count < 100; count++) cache.set('frequent', count)
  for (let count = 0; count < 100; count++) {
    cache.set('temporary', count)
    cache.delete('temporary')
  }
  expect([cache.get('rare'), cache.get('frequent')]).toEqual([1, 99])
})

test('a value that is too large replaces the former one by nothing', () => {
  const cache = createLruCache<string>(40, (_, value) => value.length)
  cache.set('a', 'short')
  cache.set('a', 'longer than a quarter')
  expect(cache.get('a')).toBeUndefined()
})

test('it only returns the last value of a key, and stays within its limit', () => {
  const step = fc.tuple(
    fc.constantFrom('get', 'set', 'delete'),
    fc.constantFrom(...'abcdefghijklmnop'.split('')),
    fc.integer(),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), steps => {
      const cache = createLruCache<number>(6)
      const model = new Map<string, number>()
      for (const [what, key, value] of steps) {
        if (what === 'set') {
          cache.set(key, value)
          model.set(key, value)
        } else if (what === 'delete') {
          cache.delete(key)
          model.delete(key)
        } else expect([undefined, model.get(key)]).toContain(cache.get(key))
      }
      const cachedKeys = 'abcdefghijklmnop'.split('').filter(key => cache.get(key) !== undefined)
      for (const key of cachedKeys) expect(model.has(key)).toBe(true)
    }),
  )
})
