import { expect, test } from 'vitest'
import { en } from './en.ts'
import { addTexts, formatAgo, formatSize, t, textOf } from './texts.ts'

addTexts(en)

test('a text is filled in, in the form that a number asks for', () => {
  expect(t('action.save')).toBe('Save')
  expect(t('signin.wait', { time: '0:30' })).toBe('Too many attempts. You can try again in 0:30.')
  expect(t('account.recovery.left', { count: 1 })).toBe('1 code is left')
  expect(t('account.recovery.left', { count: 1200 })).toBe('1,200 codes are left')
  expect(textOf('account.event.auth.login.ok')).toBe('Signed in')
  expect(textOf('account.event.nonsense')).toBeUndefined()
})

test('sizes and times are written as people say them', () => {
  expect([0, 999, 1400, 2_000_000].map(formatSize)).toEqual(['0 byte', '999 byte', '1.4 kB', '2 MB'])
  const now = Date.UTC(2026, 0, 1)
  expect([0, -90_000, -26 * 3_600_000].map(ago => formatAgo(now + ago, now))).toEqual([
    'now',
    '1 minute ago',
    'yesterday',
  ])
})

test('every key begins with the name of a part of the panel', () => {
  expect(Object.keys(en).filter(key => !/^[a-z]+\.[\w.-]+$/i.test(key))).toEqual([])
})
