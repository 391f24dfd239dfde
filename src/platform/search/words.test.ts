import { expect, test } from 'vitest'
import { fold, parseQuery, titleKey, wordsOf } from './words.ts'

const one = (text: string) => wordsOf([text])

test.each([
  ['Zwölf Exponate, drei Räume', ['zwolf', 'exponate', 'drei', 'raume']],
  ['Straße STRASSE', ['strasse']],
  ['Ærøskøbing, Łódź, Þingvellir', ['aeroskobing', 'lodz', 'thingvellir']],
  ['Οδυσσεύς', ['οδυσσευσ']],
  ['Ёлка и ёж', ['елка', 'еж']],
  ['مَدْرَسَة', ['مدرسة']],
  ['東京都', ['東京', '京都', '都']],
  ['トーキョー2020年', ['トー', 'ーキ', 'キョ', 'ョー', 'ー', '2020', '年']],
  ['한국어 문서', ['한국어', '문서']],
  ['กรุงเทพ', ['กร', 'รง', 'งเ', 'เท', 'ทพ', 'พ']],
  ['a b c', []],
  ['tide-machine_2', ['tide', 'machine']],
  ['<p>mu<b>se</b>um</p><p>of&nbsp;T&uuml;bingen &#228;hre &amp; 5 < 6 > 4</p>', ['museum', 'of', 'tubingen', 'ahre']],
  ['**bold** [link](https://example.org)', ['bold', 'link', 'https', 'example', 'org']],
  ['- name: Ada\n  born: 1815', ['name', 'ada', 'born', '1815']],
  [
    '[{"type":"text","content":{"text":"Line\\nbreak"},"id":"0a1b2c3d-1111-2222-3333-444455556666"}]',
    ['text', 'line', 'break'],
  ],
  ['{"broken": ', ['broken']],
  ['\0nul\0 \ud800lone', ['nul', 'lone']],
  ['🎉🎉', []],
])('the words of %j', (text, words) => {
  expect(one(text)).toEqual(words)
})

test('words are cut, and their number is limited', () => {
  expect(one('x'.repeat(100))).toEqual(['x'.repeat(40)])
  const many = Array.from({ length: 30_000 }, (_, at) => `w${at.toString(36)}`)
  expect(one(many.join(' '))).toHaveLength(20_000)
  const wide = Array.from({ length: 20_000 }, (_, at) => `${'語'.repeat(2)}${at} ${'ж'.repeat(36)}${at}`)
  expect(Buffer.byteLength(wordsOf([wide.join(' ')]).join(''))).toBeLessThan(1_000_000)
})

test('deeply nested values are indexed', () => {
  expect(one(`${'['.repeat(50_000)}"deep"${']'.repeat(50_000)}`)).toEqual(['deep'])
})

test('long lists are indexed', () => {
  expect(one(`["first",${'[],'.repeat(1_000_000)}"last"]`)).toEqual(['first', 'last'])
})

test.each([
  ['', undefined],
  [' x ', undefined],
  ['é', undefined],
  ['Muse', [[['muse', true]]]],
  ['muse, muse MUSE', [[['muse', true]]]],
  ['Tide-Mach', [[['tide', false], ['mach', true]]]], // prettier-ignore
  ['東京都', [[['東京', false], ['京都', false]]]], // prettier-ignore
  ['東 京', [[['東', true]], [['京', true]]]],
  ['a b', []],
  ['"NEAR(x" OR*: {title}', [[['near', true]], [['or', true]], [['title', true]]]],
])('the query %j', (text, words) => {
  const found = parseQuery(text)?.words.map(parts => parts.map(({ word, isPrefix }) => [word, isPrefix]))
  expect(found).toEqual(words)
})

test('the length of a query is limited', () => {
  expect(parseQuery('ab cd '.repeat(20_000))!.words).toHaveLength(2)
  expect(parseQuery(Array.from({ length: 100 }, (_, at) => `w${at}`).join(' '))!.words).toHaveLength(10)
  expect(parseQuery('x'.repeat(100_000))!.words[0]![0]).toEqual({ word: 'x'.repeat(40), isPrefix: false })
})

test('titles are compared without case, accents and spaces', () => {
  expect(titleKey('  Die  GROSSE\nTür\0 ')).toBe('die grosse tur')
  expect(titleKey('ß'.repeat(500))).toHaveLength(100)
  expect(fold('İstanbul')).toBe('istanbul')
})
