import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBlueprints } from '../../../test/blueprints.ts'
import { fieldTypes } from '../../blueprints/fields/index.ts'
import { openBlueprints } from '../../blueprints/open.ts'
import { types } from './fields.ts'
import { NotGenerated, writeTypings } from './file.ts'
import { typingsOf } from './typings.ts'

/** The types of a page with these fields, without its title and uuid. */
function ofPage(fields: string, more: Record<string, string> = {}): string {
  const site = createBlueprints({ 'pages/note.yml': `fields:\n${fields.replaceAll(/^/gm, '  ')}`, ...more })
  const text = typingsOf(openBlueprints(site))
  const page = /\n {4}note: \{\n([\s\S]*?)\n {4}\}\n/.exec(text)?.[1] ?? ''
  return page
    .split('\n')
    .map(line => line.slice(6))
    .filter(line => !/^(?:title\?|uuid):/.test(line))
    .join('\n')
}

test('exactly the field types that store a value have a generated type', () => {
  const saved = Object.entries(fieldTypes).filter(([, type]) => type.saved)
  expect(Object.keys(types)).toEqual(saved.map(([name]) => name))
})

test('a field has the type of its API value', () => {
  const page = ofPage(`
text: { type: text }
age: { type: number }
open: { type: toggle }
colour: { type: color }
days: { type: checkboxes, options: [mon, tue] }
kind: { type: select, options: { a: A, b: B } }
free: { type: tags }
bound: { type: tags, accept: options, options: [x] }
asked: { type: radio, options: { type: query, query: site.children } }
images: { type: files }
others: { type: pages }
people: { type: users }
note: { type: info }
Meta-Data: { type: hidden }`)
  expect(page.split('\n')).toEqual([
    "age: number | ''",
    'asked: string',
    "bound: 'x'[]",
    'colour: string | null',
    "days: ('mon' | 'tue')[]",
    'free: string[]',
    'images: OrBroken<FileEntry[]>',
    "kind: 'a' | 'b' | ''",
    "'meta-data': string | null",
    'open: boolean',
    'others: OrBroken<PageEntry[]>',
    'people: OrBroken<UserEntry[]>',
    'text: string',
  ])
})

test('nested fields are declared inline', () => {
  const page = ofPage(`
rows: { type: structure, fields: { name: { type: text }, born: { type: date } } }
place: { type: object, fields: { street: { type: text } } }`)
  expect(page).toBe(
    'place: OrBroken<\n  OrEmpty<{\n    street: string\n  }>\n>\nrows: OrBroken<\n  {\n    born: string\n    name: string\n  }[]\n>',
  )
})

test('a block type is declared once, also if it contains itself', () => {
  const site = createBlueprints({
    'blocks/box.yml': 'fields: { inner: { type: blocks, fieldsets: [box, text] } }',
    'pages/a.yml':
      'fields: { one: { type: blocks, fieldsets: [box, text] }, two: { type: blocks, fieldsets: [text] } }',
    'pages/b.yml':
      'fields: { rows: { type: layout, fieldsets: [text], settings: { fields: { wide: { type: toggle } } } } }',
  })
  const text = typingsOf(openBlueprints(site))
  expect(text).toContain('one: OrBroken<(BoxBlock | TextBlock)[]>')
  expect(text).toContain('two: OrBroken<TextBlock[]>')
  expect(text).toContain('inner: OrBroken<(BoxBlock | TextBlock)[]>')
  expect(text.match(/interface \w+Block/g)).toEqual(['interface BoxBlock', 'interface TextBlock'])
  expect(text).toContain('attrs: {\n            wide: boolean\n          }')
})

const block = (field: string) =>
  `fields: { text: { type: blocks, fieldsets: { text: { fields: { ${field}: { type: text } } } } } }`

test('different blocks with one name get different type names', () => {
  const site = createBlueprints({ 'pages/a.yml': block('x'), 'pages/b.yml': block('y'), 'pages/c.yml': block('x') })
  const text = typingsOf(openBlueprints(site))
  expect(text.match(/text: OrBroken<\w+\[\]>/g)).toEqual([
    'text: OrBroken<TextBlock[]>',
    'text: OrBroken<TextBlock2[]>',
    'text: OrBroken<TextBlock[]>',
  ])
})

test('any text of a blueprint stays inside its quotes', () => {
  const hostile = String.raw`it's "x" \ */ } ${'`'} ${'$'}{y}`
  const page = ofPage(`kind: { type: select, options: [${JSON.stringify(hostile)}, "line\\nbreak"] }`)
  // The compiler's own rules for texts: the text between the quotes is the value.
  const literals = /^kind: (.*) \| ''$/.exec(page)![1]!
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- our own text, to see what it says
  expect(new Function(`return [${literals.replace("' | ", "', ")}]`)()).toEqual([hostile, 'line\nbreak'])
})

test('a field with an invalid definition keeps its name', () => {
  expect(ofPage('odd: { type: nothing }\nfine: { type: text }')).toBe('fine: string\nodd?: unknown')
})

test('the same blueprints give the same file, in any order', () => {
  const one = createBlueprints({
    'pages/b.yml': 'fields: { y: { type: text }, x: { type: url } }',
    'pages/a.yml': 'title: A',
  })
  const other = createBlueprints({
    'pages/a.yml': 'title: Z',
    'pages/b.yml': 'fields: { x: { type: url }, y: { type: text } }',
  })
  expect(typingsOf(openBlueprints(one))).toBe(typingsOf(openBlueprints(other)))
})

test('a site without blueprints has the default types', () => {
  expect(typingsOf(openBlueprints(createBlueprints()))).toMatchInlineSnapshot(`
    "// Made by \`quoin types\` from the blueprints of the site, and made again when they change.

    export interface Blueprints {
      files: {
        default: {
          sort?: string
          template?: string
          uuid: string
        }
      }
      pages: {
        default: {
          title?: string
          uuid: string
        }
      }
      site: {
        title?: string
      }
      users: {
        admin: Record<string, never>
      }
    }
    "
  `)
})

test('the file is written only if it changes, and never over a foreign file', () => {
  const site = createBlueprints({ 'pages/note.yml': 'fields: { text: { type: text } }' })
  const blueprints = openBlueprints(site)
  const file = join(site, 'types.ts')
  expect(writeTypings(blueprints, undefined, file)).toBe(true)
  expect(writeTypings(blueprints, undefined, file)).toBe(false)
  expect(readFileSync(file, 'utf8')).toBe(typingsOf(blueprints))
  writeFileSync(file, 'export const mine = 1\n')
  expect(() => writeTypings(blueprints, undefined, file)).toThrow(NotGenerated)
  expect(readFileSync(file, 'utf8')).toBe('export const mine = 1\n')
})
