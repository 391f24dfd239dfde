import { expect, test } from 'vitest'
import { parseFromAddress } from './from-address.ts'

test.each([
  ['cms@example.org', '', 'cms@example.org'],
  [' cms@example.org ', '', 'cms@example.org'],
  ['<cms@example.org>', '', 'cms@example.org'],
  ['Our site <cms@example.org>', 'Our site', 'cms@example.org'],
  ['Bücher & Co., Köln <cms@bücher.example>', 'Bücher & Co., Köln', 'cms@bücher.example'],
])('%s is a valid From address', (text, name, address) => {
  expect(parseFromAddress(text)).toEqual({ name, address })
})

test.each([
  '',
  'Our site',
  'Our site <>',
  'Our site <cms>',
  'cms@example.org, other@example.org',
  'a <a@example.org>, b <b@example.org>',
  'a <a@example.org> b',
  'a\r\nBcc: x@example.org <a@example.org>',
  '"a" <a@example.org>',
])('%j is not a valid From address', text => {
  expect(parseFromAddress(text)).toBeUndefined()
})
