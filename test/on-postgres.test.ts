import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { titles } from './on-postgres.ts'

const root = join(import.meta.dirname, '..')

test.each(Object.entries(titles))('%s has tests that run on PostgreSQL every day', (file, title) => {
  const text = readFileSync(join(root, file), 'utf8')
  const found = [...text.matchAll(/\(\s*(['"`])(.+?)\1,/g)].map(([, , words]) => words!)
  expect(found).toContainEqual(expect.stringMatching(title))
})
