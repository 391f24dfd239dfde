import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asciiRules, slugRules, toSlug } from './slug.ts'
import { rounds } from '../../../test/slow.ts'

test.each([
  ['Räuber & Gäste', 'rauber-gaste'],
  ['Ein Wort & Zwei', 'ein-wort-zwei'],
  ['Größe & Öl_2 / ßx', 'grosse-ol-2-ssx'],
  ['  Straße, Øre — Łódź!  ', 'strasse-ore-lodz'],
  ["It's über-fine", 'its-uber-fine'],
  ['İstanbul', 'istanbul'],
  ['Ёлка и объект', 'elka-i-obekt'],
  ['Йод Щука', 'yod-shchuka'],
  ['Αθήνα, Ψυχή', 'athina-psychi'],
  ['日本語 の 頁', '日本語-の-頁'],
  ['한국어', '한국어'],
  ['مرحبا بالعالم', 'مرحبا-بالعالم'],
  ['שלום עולם', 'שלום-עולם'],
  ['soft\u00adhyphen and zero\u200bwidth', 'softhyphen-and-zerowidth'],
  ['1️⃣ ⓐ ﬁ Ⅻ', '1-a-fi-xii'],
  ['❤️ 👩‍👩‍👧', ''],
  ['\u0301 \u3164', ''],
  ['../../etc', 'etc'],
  ['###', ''],
])('%s becomes %s', (text, slug) => {
  expect(toSlug(text)).toBe(slug)
})

test('composed and decomposed letters give the same slug', () => {
  expect(toSlug('が'.normalize('NFD'))).toBe('が'.normalize('NFC'))
})

test('a language has its own transliterations, by its code or locale', () => {
  expect(toSlug('Übergröße', slugRules('de_AT.UTF-8'))).toBe('uebergroesse')
  expect(toSlug('Ærø på Å', slugRules('da-dk'))).toBe('aeroe-paa-aa')
  expect(toSlug('Київ, Гора', slugRules('uk'))).toBe('kyiv-hora')
  expect(toSlug('Ökar', slugRules('sv_SE'))).toBe('okar')
  expect(slugRules('constructor')).toEqual({})
})

test('custom rules come first, and the longest match wins', () => {
  expect(toSlug('Salz & Öl', { '&': 'und', Ö: 'OE' })).toBe('salz-und-oel')
  expect(toSlug('C++ is C', { 'C++': 'cpp', '+': 'plus' })).toBe('cpp-is-c')
  expect(toSlug('a.b', { '.': '$&', '': 'x', '[': 'y' })).toBe('a-b')
  expect(toSlug('数学', { 数学: 'Maths' })).toBe('maths')
})

test('it is cut between two letters, without a trailing hyphen', () => {
  expect(toSlug(`${'x'.repeat(127)} yy`)).toBe('x'.repeat(127))
  expect(Array.from(toSlug('𠀀'.repeat(200)))).toHaveLength(128)
})

test('a slug of a slug is the same slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (text, other) => {
      const slug = toSlug(text + other)
      expect(toSlug(slug)).toBe(slug)
      expect(slug).not.toMatch(/^-|-$|--|[\s/?#]|^\p{M}/u)
      expect(slug).toBe(slug.normalize('NFC'))
    }),
    { numRuns: rounds(40, 200) },
  )
})

test('the rules without a language are available to other slug generators', () => {
  for (const [rule, text] of Object.entries(asciiRules())) {
    expect(rule).toMatch(/^\/.+\/$/u)
    expect(text).toMatch(/^[a-z]*$/)
  }
  expect(asciiRules()['/ß/']).toBe('ss')
})
