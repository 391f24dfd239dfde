import { expect, test } from 'vitest'
import { isCalled, nameBeforeCaret, commentParts, toStored, toTyped } from './mentions.ts'

const ada = { id: 'a1', name: 'Ada' }
const adaLove = { id: 'a2', name: 'Ada Love' }
const bob = { id: 'b', name: 'bob@example.org' }

test('names become ids, the longest first, and only whole ones', () => {
  expect(toStored('@Ada Love, @Ada, @Adam and @bob@example.org!', [ada, adaLove, bob])).toBe(
    '@[a2], @[a1], @Adam and @[b]!',
  )
  expect(toStored('mail bob@example.org', [bob])).toBe('mail bob@example.org')
})

test('ids become names again; those of unknown accounts survive editing', () => {
  expect(toTyped('@[a1] and @[gone]', [ada])).toBe('@Ada and @[gone]')
  expect(toStored(toTyped('@[a1] and @[gone]', [ada]), [ada])).toBe('@[a1] and @[gone]')
  expect(commentParts('Hello @[a1] and @[gone]', [ada]).map(({ text }) => text)).toEqual([
    'Hello ',
    '@Ada',
    ' and ',
    '@…',
    '',
  ])
})

test('a name is typed after an @ at the start of a word', () => {
  expect(['@', 'Hi @bo', '(@bo', 'a@bo', '@bo '].map(text => nameBeforeCaret(text, text.length))).toEqual([
    '',
    'bo',
    'bo',
    undefined,
    undefined,
  ])
  expect(['', 'jo', 'mú', 'mu', 'ose'].map(typed => isCalled('José Muñoz', typed))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ])
})
