import { expect, test } from 'vitest'
import { diff } from './diff.ts'

const shown = (before: string, after: string) =>
  diff(before, after)
    .map(({ kind, text }) => ({ same: text, gone: `[-${text}-]`, new: `[+${text}+]` })[kind])
    .join('')

test.each([
  ['the same', 'the same', 'the same'],
  ['', 'all new', '[+all new+]'],
  ['all gone', '', '[-all gone-]'],
  ['one two three', 'one three', 'one [-two -]three'],
  ['one three', 'one two three', 'one [+two +]three'],
  ['red, green', 'blue, white', '[-red, green-][+blue, white+]'],
  ['a b c d e', 'a x c d e', 'a [-b-][+x+] c d e'],
  ['Größe', 'Grösse', '[-Größe-][+Grösse+]'],
])('%j → %j', (before, after, expected) => {
  expect(shown(before, after)).toBe(expected)
})

const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, at) => `w${(at * seed) % 97}`).join(' ')

test('whatever the texts, both can be read from it, and it is quick', () => {
  for (const [one, other] of [
    [words(3, 300), words(5, 320)],
    [words(7, 20_000), words(11, 20_000)],
  ] as const) {
    const parts = diff(one, other)
    const side = (left: string) =>
      parts
        .filter(({ kind }) => kind !== left)
        .map(({ text }) => text)
        .join('')
    expect(side('new')).toBe(one)
    expect(side('gone')).toBe(other)
  }
})
