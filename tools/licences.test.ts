import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Licences under which Quoin may be used, changed and passed on under the MIT licence. */
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
])

/** Other licences, and for which packages they were accepted. */
const accepted: Record<string, RegExp> = {
  // Loaded as a library that can be exchanged, as the licence demands.
  'LGPL-3.0-or-later': /^@img\/sharp-/,
  // Only tools of the build and of the tests; changes to their files would have to be published.
  'MPL-2.0': /^(?:lightningcss|axe-core)/,
}

interface Locked {
  license?: string
  link?: boolean
}

test('every dependency has a licence of the list', () => {
  const root = join(import.meta.dirname, '..')
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const dependencies = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link)
  expect(dependencies.length).toBeGreaterThan(100)
  const refused = dependencies.flatMap(([path, { license = 'none' }]) => {
    const name = path.replace(/^.*node_modules\//, '')
    const words = license.replaceAll(/[()]/g, '').split(/ (?:AND|OR) /)
    return words.every(word => permissive.has(word) || accepted[word]?.test(name)) ? [] : [`${name}: ${license}`]
  })
  expect(refused).toEqual([])
})

test('the source says the same as package.json about its own licence', () => {
  const root = join(import.meta.dirname, '..')
  expect(globSync('LICENSE*', { cwd: root })).toEqual(['LICENSE'])
  expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toMatch(/^MIT License/)
  expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).toMatchObject({ license: 'MIT' })
})
