import { expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { passwordProblems } from '../../src/access/factors/password-policy.ts'
import { createPassphrase } from './passphrase.ts'
import { strengthOf, defaultLength } from './strength.ts'

const app = { config: { url: 'https://example.org' } } as App
const accepts = (password: string, context: string[] = []) =>
  passwordProblems(app, { password, minLength: defaultLength, context }).length === 0

test.each([
  ['short', 'weak'],
  ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['hopla hopla hopla hopla', 'weak'],
  ['ada lovelace rules', 'weak'],
  ['seven quiet herons', 'fair'],
  ['seven quiet herons over water', 'strong'],
  ['zoe\u0308-mu\u0308ller likes tea', 'weak'],
  ['seven quiet her 𠮷𠮷𠮷𠮷', 'fair'],
])('%s is %s, and the server agrees', (password, level) => {
  const names = ['Ada Lovelace', 'Zoë-Müller', '𠮷𠮷𠮷𠮷']
  expect(strengthOf(password, names).level).toBe(level)
  expect(accepts(password, names)).toBe(level !== 'weak')
})

test('every suggested passphrase is accepted', () => {
  const suggested = Array.from({ length: 200 }, createPassphrase)
  expect(suggested.filter(password => strengthOf(password).level !== 'strong' || !accepts(password))).toEqual([])
  expect(new Set(suggested).size).toBe(200)
})
