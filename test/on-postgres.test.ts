import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { titles, unmatched } from './on-postgres.ts'

const root = join(import.meta.dirname, '..')

// The titles are compared by `test/cleanup.ts` in each of these files, where those of `test.each` are known.
test.each(Object.keys(titles))('%s exists', file => {
  expect(existsSync(join(root, file))).toBe(true)
})

test('each pattern that matches no test is reported', () => {
  const file = 'src/platform/mail/outbox.test.ts'
  expect(unmatched(file, ['a mail is decrypted', 'something else'])).toEqual(['/two processes/'])
  expect(unmatched(file, ['a mail is decrypted', 'two processes send it once'])).toEqual([])
  expect(unmatched('test/other.test.ts', [])).toEqual([])
})
