import { expect, test } from 'vitest'
import { readPhp } from '../import/php.ts'
import { readText } from '../import/text.ts'
import { writePhp } from './php.ts'
import { writeText } from './text.ts'

test('fields are separated by lines of four dashes, names have a capital and hyphens', () => {
  const text = writeText(Object.entries({ title: 'Fog', text: 'one\ntwo', custom_note: 'kept', empty: '' }))
  expect(text).toBe('Title: Fog\n\n----\n\nText:\n\none\ntwo\n\n----\n\nCustom-note: kept\n\n----\n\nEmpty: ')
})

test.each([
  '----',
  'a\n----\nb',
  'a\n\n-----\n\nb',
  '\\----',
  'a\n\\\\----\nb',
  'a\r\n----\r\nb',
  'Title: no field\n----\nUuid: mine',
  ': : :',
  'a\u2028b \u00a0c',
  '\ufefftext',
])('%j is read as written', value => {
  expect(readText(writeText([['one', value], ['two', 'after']]))).toEqual({
    content: { one: value, two: 'after' },
    odd: 0,
  }) // prettier-ignore
})

test.each(['a', 'a_b', '2024', 'größe', 'ß', 'ŉ', 'ǆ', '日本', '_', '____'])('the name %s is read as written', name => {
  expect(readText(writeText([['first', '1'], [name, 'value']])).content).toEqual({ first: '1', [name]: 'value' }) // prettier-ignore
})

test('spaces around a value are not preserved', () => {
  expect(readText(writeText([['a', ' \n x \n ']])).content).toEqual({ a: 'x' })
})

test('no text can break out of the quotes of a PHP file', () => {
  const texts = { email: `'; system('x'); //`, name: 'a\\', role: `\\'`, more: '<?php $x ?>' }
  expect(Object.fromEntries(readPhp(writePhp(texts)) as Map<string, string>)).toEqual(texts)
  const rest = new Map<string, unknown>([
    ['default', true],
    ['url', null],
    ['locale', new Map([['LC_ALL', `de'`]])],
    ['slugs', []],
  ])
  expect(readPhp(writePhp({ default: true, url: null, locale: { LC_ALL: `de'` }, slugs: {} }))).toEqual(rest)
})
