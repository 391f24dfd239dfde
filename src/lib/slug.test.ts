import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toSlug } from './slug.ts'

test.each([
  ['Räuber & Gäste', 'rauber-gaste'],
  ['Ein Wort & Zwei', 'ein-wort-zwei'],
  ['  Straße, Øre — Łódź!  ', 'strasse-ore-lodz'],
  ["It's über-fine", 'its-uber-fine'],
  ['İstanbul', 'istanbul'],
  ['日本語 の 頁', '日本語-の-頁'],
  ['مرحبا بالعالم', 'مرحبا-بالعالم'],
  ['Ёлка', 'ёлка'],
  ['###', ''],
])('%s becomes %s', (text, slug) => {
  expect(toSlug(text)).toBe(slug)
})

test('a slug of a slug is the same slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const slug = toSlug(text)
      expect(toSlug(slug)).toBe(slug)
      expect(slug).not.toMatch(/^-|-$|--|[\s/?#]/)
    }),
  )
})
