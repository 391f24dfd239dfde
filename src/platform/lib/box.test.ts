import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { open, seal } from './box.ts'

const key = randomBytes(32)

test('a sealed text is opened with the same key and context', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
      expect(open(key, seal(key, text, context), context)).toBe(text)
    }),
  )
})

test('another key or context opens nothing', () => {
  const box = seal(key, 'secret', 'user:1')
  expect(open(randomBytes(32), box, 'user:1')).toBeUndefined()
  expect(open(key, box, 'user:2')).toBeUndefined()
  expect(open(key, box, '')).toBeUndefined()
})

test('two boxes of one text differ, and neither contains it', () => {
  const boxes = [seal(key, 'secret', ''), seal(key, 'secret', '')]
  expect(boxes[0]).not.toBe(boxes[1])
  for (const box of boxes) expect(Buffer.from(box, 'base64url').toString('latin1')).not.toContain('secret')
})

test('a changed or truncated box is not opened', () => {
  const bytes = Buffer.from(seal(key, 'secret', 'a'), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    expect(open(key, changed.toString('base64url'), 'a')).toBeUndefined()
    expect(open(key, bytes.subarray(0, at).toString('base64url'), 'a')).toBeUndefined()
  }
})

test('any stored text never throws', () => {
  fc.assert(
    fc.property(fc.string(), box => {
      expect(open(key, box, 'a')).toBeUndefined()
    }),
  )
})
