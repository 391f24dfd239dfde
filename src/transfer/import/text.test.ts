import { expect, test } from 'vitest'
import { cpuTime } from '../../../test/cpu-time.ts'
import { readText } from './text.ts'

const contentOf = (text: string) => readText(text).content

test('fields are separated by lines of four dashes', () => {
  expect(contentOf('Title: A lamp\n\n----\n\nText:\n\nOne\n\nTwo\n\n----\n\nEmpty: ')).toEqual({
    title: 'A lamp',
    text: 'One\n\nTwo',
    empty: '',
  })
})

test('names are lower-case with underscores; a colon in a value stays', () => {
  expect(contentOf('Custom-Note: x\n----\nMy Field: y: z\n----\nUrl: https://example.org')).toEqual({
    custom_note: 'x',
    my_field: 'y: z',
    url: 'https://example.org',
  })
})

test('a separator inside a value has a backslash, and only a line of exactly four dashes separates', () => {
  expect(contentOf('Text:\n\nOne\n\n\\----\n\nTwo\n-----\nThree ----\n---- four\n----\nNext: 1')).toEqual({
    text: 'One\n\n----\n\nTwo\n-----\nThree ----\n---- four',
    next: '1',
  })
})

test('a byte order mark and other line endings are accepted', () => {
  expect(contentOf('\ufeffTitle: A\r\n\r\n----\r\n\r\nText: B\r\n')).toEqual({ title: 'A', text: 'B' })
})

test('fields without a name are counted, and prototype names are ignored', () => {
  const { content, odd } = readText(
    `no colon here\n----\n: nothing before it\n----\n__proto__: x\n----\n${'n'.repeat(300)}: x\n----\n\n----\nTitle: A`,
  )
  expect(content).toEqual({ title: 'A' })
  expect(Object.getPrototypeOf(content)).toBe(Object.prototype)
  expect(odd).toBe(4)
})

test('the later of two fields with one name is used', () => {
  expect(contentOf('A: 1\n----\nB: 2\n----\na: 3')).toEqual({ a: '3', b: '2' })
})

test('other whitespace stays, and much of it is parsed quickly', () => {
  expect(contentOf('A: \u00a0x\u00a0 ')).toEqual({ a: '\u00a0x\u00a0' })
  const started = cpuTime()
  contentOf(`A: ${' \n'.repeat(500_000)}x${'\n---'.repeat(100_000)}`)
  expect(cpuTime() - started).toBeLessThan(2000)
})
