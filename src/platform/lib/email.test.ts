import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEmail } from './email.ts'
import { rounds } from '../../../test/slow.ts'

const keyOf = (text: string) => parseEmail(text)?.key
const same = (...texts: string[]) => expect(new Set(texts.map(keyOf)).size).toBe(1)

test('case and surrounding spaces are ignored', () => {
  same('ada@example.org', 'Ada@Example.ORG', '  ada@example.org\r\n')
  expect(keyOf('Ada@Example.ORG')).toBe('ada@example.org')
  expect(parseEmail(' Ada@Example.ORG ')).toMatchObject({ address: 'Ada@Example.ORG' })
})

test('C02: composed and decomposed letters have the same key', () => {
  same('zo\u00eb@example.org', 'zoe\u0308@example.org', 'ZO\u00cb@example.org')
  expect(parseEmail('zoe\u0308@example.org')?.address).toBe('zo\u00eb@example.org')
})

test('C03: Kelvin sign, full width, ligature, sharp s and long s share a key', () => {
  same('\u212aate@example.org', 'kate@example.org')
  same('\uff41\uff44\uff41@example.org', 'ada@example.org')
  same('\ufb01n@example.org', 'fin@example.org')
  same('stra\u00dfe@example.org', 'strasse@example.org', 'STRASSE@example.org', 'stra\u1e9ee@example.org')
  same('\u017fam@example.org', 'sam@example.org')
  expect(keyOf('\u212aate@example.org')).toBe('kate@example.org')
})

test('C06: an international domain, its ASCII form, upper case and a trailing dot have the same key', () => {
  same(
    'a@bücher.example',
    'a@xn--bcher-kva.example',
    'a@BÜCHER.example',
    'a@bücher.example.',
    'a@bu\u0308cher.example',
    'a@ｂücher.example',
  )
  expect(keyOf('a@bücher.example')).toBe('a@xn--bcher-kva.example')
})

test.each([
  'a@xn--\u0000.example',
  'a@xn--zzzzzzzz99999.example',
  'a@.example',
  'a@example..org',
  'a@-a.example',
  'a@a-.example',
  `a@${'a'.repeat(64)}.example`,
  'a@exаmple.org',
  'a@раypal.example',
  'a@exa mple.org',
  'a@exam_ple..org',
  'a@[127.0.0.1]',
  'a@%41.example',
  'a@..',
  'a@.',
])('C07: %j has no valid domain', text => {
  // prettier-ignore
  expect(parseEmail(text)).toBeUndefined()
})

test.each([
  'a\0b@example.org',
  'a\rb@example.org',
  'a\nb@example.org',
  'a\tb@example.org',
  'a\u2028b@example.org',
  'a\u202eb@example.org',
  'a\u200db@example.org',
  'a\u200bb@example.org',
  'a\u00a0b@example.org',
  'a\ufeffb@example.org',
  'a\ud800@example.org',
  'a\ue000@example.org',
  'a@exa\u00admple.org',
  'a@exam\u200bple.org',
  '\u2028ada@example.org',
])('C08: %j has invisible characters', text => {
  // prettier-ignore
  expect(parseEmail(text)).toBeUndefined()
})

test.each([
  'ada@example.org\nBcc: evil@x',
  '"a b"@x',
  'a@b@c',
  '@x',
  'a@',
  '@',
  '',
  ' ',
  'ada',
  'ada@example.org, eve@example.org',
  '<ada@example.org>',
  'ada(x)@example.org',
  'a;b@x',
  'a\\b@x',
  'mailto:ada@example.org',
])('C09: %j is not an address', text => {
  // prettier-ignore
  expect(parseEmail(text)).toBeUndefined()
})

test('C09: characters that normalise to a bracket, an @ or a space are refused', () => {
  for (const text of ['\ufe47a@example.org', 'a\uff20b@example.org', 'a\uff1bb@example.org', 'a\u00a8@example.org'])
    expect(parseEmail(text)).toBeUndefined()
})

test('C10: tags and dots make another key', () => {
  expect(new Set(['ada@x.org', 'ada+tag@x.org', 'a.d.a@x.org', 'ada@y.x.org'].map(keyOf)).size).toBe(4)
})

test('C14: an emoji is an ordinary letter', () => {
  expect(keyOf('👩‍💻@example.org')).toBeUndefined() // has a zero-width joiner
  expect(keyOf('🦊@example.org')).toBe('🦊@example.org')
})

test('B17: 254 bytes are accepted, 255 are not', () => {
  expect(parseEmail(`${'a'.repeat(242)}@example.org`)?.address).toHaveLength(254)
  expect(parseEmail(`${'a'.repeat(243)}@example.org`)).toBeUndefined()
  expect(parseEmail(`${'ë'.repeat(121)}@example.org`)?.address).toHaveLength(133)
  expect(parseEmail(`${'ë'.repeat(122)}@example.org`)).toBeUndefined()
  expect(parseEmail('a@b')).toMatchObject({ key: 'a@b' })
})

const domain = fc.constantFrom('example.org', 'BÜCHER.example', 'ｘ.example.', 'straße.example', 'a')

test('a key is its own key, and nothing throws', () => {
  const letter = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  )
  const name = fc.array(letter, { maxLength: 6 }).map(letters => letters.join(''))
  fc.assert(
    fc.property(name, fc.oneof(domain, name), (local, place) => {
      const email = parseEmail(`${local}@${place}`)
      if (email === undefined) return
      expect(parseEmail(email.address)).toEqual(email)
      expect(keyOf(email.key)).toBe(email.key)
    }),
    { numRuns: rounds(50, 1000) },
  )
})

test('C03: upper case has the key of lower case, also where one letter becomes two', () => {
  const letters = [
    'a',
    'Z',
    'é',
    'e\u0301',
    'ß',
    'ẞ',
    'ſ',
    '\u212a',
    'ﬁ',
    'ﬆ',
    'Σ',
    'ς',
    'σ',
    'ǅ',
    'ａ',
    'ŉ',
    'Я',
    '.',
    '+',
  ]
  const name = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 6 }).map(some => some.join(''))
  fc.assert(
    fc.property(name, domain, (local, place) => {
      const key = keyOf(`${local}@${place}`)
      expect(key).toBeDefined()
      expect(keyOf(`${local.toUpperCase()}@${place}`)).toBe(key)
      expect(keyOf(`${local.toLowerCase()}@${place}`)).toBe(key)
    }),
    { numRuns: rounds(50, 1000) },
  )
})
