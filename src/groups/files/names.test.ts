import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joined, renamed, safeName } from './names.ts'
import { rounds } from '../../../test/slow.ts'

test.each([
  ['Coast.JPG', 'coast.jpg'],
  ['Größe & Öl_2.Png', 'grosse-ol_2.png'],
  ['../../etc/passwd.png', 'passwd.png'],
  ['C:\\Users\\me\\photo.jpg', 'photo.jpg'],
  ['a/b\\c.gif', 'c.gif'],
  ['list.exe.md', 'list.exe.md'],
  ['logo@2x.png', 'logo@2x.png'],
  ['..hidden.png', 'hidden.png'],
  ['two..dots.png', 'two.dots.png'],
  ['trailing. .png', 'trailing.png'],
  ['tab\tand\0null.png', 'tabandnull.png'],
  ['rtl\u202egpj.exe', 'rtlgpj.exe'],
  ['写真.png', '写真.png'],
  ['Привет.png', 'privet.png'],
  ['con.png', 'con-.png'],
  ['LPT1.txt.png', 'lpt1-.txt.png'],
  ['console.png', 'console.png'],
  ['no extension', 'no-extension'],
  ['.htaccess', '.htaccess'],
  ['%2e%2e%2fup.png', '2e-2e-2fup.png'],
])('%j becomes %j', (name, expected) => {
  const { base, extension } = safeName(name)
  expect(base === '' ? `.${extension}` : joined({ base, extension })).toBe(expected)
})

test('a long name is cut at a character boundary, and keeps its extension', () => {
  for (const letter of ['a', '写', 'é']) {
    const name = joined(safeName(`${`${letter}_`.repeat(400)}.png`))
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(204)
    expect(name).toMatch(/\.png$/)
    expect(name.isWellFormed()).toBe(true)
  }
})

test('any file name becomes safe, and a safe name stays unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), name => {
      const { base, extension } = safeName(name)
      expect(extension).toMatch(/^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}_-]*$/u)
      // oxlint-disable-next-line no-control-regex -- these are the signs that must not be there
      expect(base).not.toMatch(/^\.|\.$|\.\.|[/\\:*?"<>|\u0000-\u001f]/)
      if (base !== '' && extension !== '')
        expect(joined(safeName(joined({ base, extension })))).toBe(joined({ base, extension }))
    }),
    { numRuns: rounds(400, 2000) },
  )
})

test('a new name keeps the extension, and its dots are part of the name', () => {
  expect(renamed({ extension: 'md' }, 'list.exe')).toBe('list.exe.md')
  expect(renamed({ extension: 'png' }, 'Neue Größe')).toBe('neue-grosse.png')
  expect(renamed({ extension: 'png' }, '../up')).toBe('up.png')
  for (const nothing of ['', '  ', '...', '/']) expect(() => renamed({ extension: 'png' }, nothing)).toThrow(/name/)
})
