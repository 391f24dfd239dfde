/** The worst bodies for every endpoint, derived from its declaration: about a hundred for each kind of endpoint. */
import { fieldTypes } from '../src/blueprints/fields/index.ts'
import type { AnyEndpoint } from '../src/http/endpoint.ts'
import { svg, formOf, formType, picture } from './files.ts'
import { bodiesOf, places, put } from './samples.ts'

export interface WorstBody {
  name: string
  type: string
  /** Created when it is sent: all bodies together would take gigabytes. */
  payload: () => Buffer
}

const many = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, at) => make(at))
const wide = (count: number) => Object.fromEntries(many(count, index => [`n${index}`, 'x']))
const json = (name: string, value: () => unknown): WorstBody => raw(name, () => JSON.stringify(value()))
const raw = (name: string, payload: () => string | Buffer): WorstBody => ({
  name,
  type: 'application/json',
  payload: () => Buffer.from(payload()),
})

/** Just below the limit of a body, which is 1 MiB, in bytes. */
const size = 1_000_000
const repeat = (part: string, bytes = size) => part.repeat(Math.floor(bytes / Buffer.byteLength(part)))

// ---- bodies that every endpoint refuses

const refused: readonly WorstBody[] = [
  json('40,000 unknown names', () => wide(40_000)),
  json('names of ligatures', () => Object.fromEntries(many(3000, index => [`${'\ufdfa'.repeat(100)}${index}`, 1]))),
  raw('duplicate names', () => `{${repeat('"a":1,')}"a":1}`),
  raw('names of the prototype', () => `{${repeat('"__proto__":{},', 100_000)}"a":1}`),
  raw('deep lists', () => repeat('[')),
  raw('deep maps', () => repeat('{"a":')),
  raw('lists of allowed depth', () => `[${many(8000, () => '['.repeat(60) + ']'.repeat(60)).join(',')}]`),
  raw('a long list', () => `[${repeat('1,')}1]`),
  raw('a list of empty maps', () => `[${repeat('{},', 299_000)}{}]`),
  raw('a list of maps', () => `[${repeat('{"a":"b"},')}{}]`),
  raw('a text of escapes', () => `{"a":"${repeat('\\u0041')}"}`),
  raw('a text of lone surrogates', () => `{"a":"${repeat('\\ud800')}"}`),
  raw('a number of 1,000,000 digits', () => `{"a":${repeat('9')}}`),
  raw('numbers with large exponents', () => `[${repeat('1e308,')}1]`),
  raw('spaces', () => repeat(' ')),
  raw('a text without an end', () => `{"a":"${repeat('b')}`),
  raw('invalid UTF-8', () => Buffer.alloc(size, 0xff)),
]

// ---- values in each place of a body

const letters = 150_000
const texts: Readonly<Record<string, string>> = {
  'a ligature that becomes 18 letters': '\ufdfa'.repeat(300_000),
  'combining marks': `a${'\u0301'.repeat(letters)}`,
  quotes: '"'.repeat(letters),
  backslashes: '\\'.repeat(letters),
  'control characters': '\u0001'.repeat(letters),
  'angle brackets': '<'.repeat(letters),
  'at signs': 'a@'.repeat(letters),
  dots: 'a.'.repeat(letters),
  spaces: `a${' '.repeat(letters)}b`,
  digits: '9'.repeat(letters),
}

function* inPlaces(sample: unknown): Generator<WorstBody> {
  for (const path of places(sample)) {
    const value = path.reduce<unknown>((inside, key) => (inside as Record<string, unknown>)[key], sample)
    const at = path.join('.') || 'the body'
    if (typeof value === 'string')
      for (const [name, text] of Object.entries(texts)) yield json(`${name} in ${at}`, () => put(sample, path, text))
    const entries = Array.isArray(value) ? value : [value]
    yield json(`40,000 entries in ${at}`, () =>
      put(
        sample,
        path,
        many(40_000, index => entries[index % entries.length] ?? 'x'),
      ),
    )
    yield json(`40,000 names in ${at}`, () => put(sample, path, { ...(value as object), ...wide(40_000) }))
  }
}

/** Of an endpoint that takes JSON. */
export function worstBodies(endpoint: AnyEndpoint): WorstBody[] {
  const placed = bodiesOf(endpoint).flatMap(sample => [...inPlaces(sample ?? {})])
  return [...new Map([...refused, ...placed].map(body => [body.name, body])).values()]
}

// ---- content

const settings: Readonly<Record<string, object>> = {
  structure: { fields: { a: { type: 'text' }, b: { type: 'writer' } } },
  object: { fields: { a: { type: 'text' } } },
  ...Object.fromEntries(
    ['select', 'radio', 'checkboxes', 'multiselect', 'toggles'].map(type => [type, { options: ['a', 'b'] }]),
  ),
}
const saved = Object.keys(fieldTypes).filter(type => fieldTypes[type]!.saved)

/** A blueprint with one field of every type, which has the name of its type. */
export const everyType = JSON.stringify({
  title: 'All',
  fields: Object.fromEntries(saved.map(type => [type, { type, ...settings[type] }])),
})

const html = '<p>x</p>'
const block = (text: string) => ({ type: 'text', content: { text } })
const deep = (depth: number): unknown => (depth === 0 ? 'x' : { type: 'text', content: deep(depth - 1) })

const contentTexts: Readonly<Record<string, string>> = {
  ...texts,
  'open tags': '<b>'.repeat(letters / 4),
  'nested lists': '<ul><li>'.repeat(letters / 8),
  attributes: `<p ${'a=b '.repeat(letters / 4)}>`,
  ampersands: '&'.repeat(letters),
  entities: '&amp;'.repeat(letters / 5),
  'line breaks': '\n'.repeat(letters),
  commas: ','.repeat(letters),
  'new words': many(20_000, index => index.toString(36)).join(' '),
  'no spaces': '東'.repeat(letters),
  brackets: '['.repeat(letters),
  'a list in YAML': '- a\n'.repeat(letters / 4),
  'anchors in YAML': many(2000, index => `- &a${index} [*a${Math.max(0, index - 1)}]`).join('\n'),
  'maps in YAML': many(5000, index => `- a: ${index}\n  b: c`).join('\n'),
  'text in JSON': JSON.stringify(many(20_000, () => ({ a: 'x' }))),
  'a link': `javascript:${'a'.repeat(letters)}`,
  references: many(5000, index => `page://${index}`).join('\n'),
  'inline tags': '(link: x text: y)'.repeat(letters / 17),
}

const contentValues: Readonly<Record<string, unknown>> = {
  '20,000 rows': many(20_000, () => ({ a: 'x', b: html })),
  '9,900 rows': many(9900, index => ({ a: `x${index}`, b: html })),
  'wrong rows': many(50_000, () => 1),
  'wide rows': many(10, () => wide(2000)),
  '10,000 blocks': many(10_000, () => block(html)),
  '5,900 blocks': many(5900, index => ({ id: `b${index}`, ...block(html) })),
  'blocks with much to clean': many(2000, () => block('<i x>')),
  'unknown blocks': many(20_000, index => ({ type: `t${index}`, content: {} })),
  'deep blocks': [deep(30)],
  'deep lists': many(20, () => JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown),
  '3,000 rows of a layout': many(3000, () => ({ columns: [{ width: '1/1', blocks: [block(html)] }] })),
  '7,000 rows without columns': many(7000, () => ({ columns: [] })),
  'a row of many columns': [{ columns: many(7000, () => ({ width: '1/1', blocks: [] })) }],
  '10,000 references': many(10_000, index => `page://${index}`),
  '4,900 references': many(4900, index => `page://a${index}`),
  'references as maps': many(10_000, index => ({ uuid: `file://${index}` })),
  '50,000 words': many(50_000, index => `w${index}`),
  '29,000 words': many(29_000, index => `w${index}`),
  'ligatures in a list': many(200, index => `${'\ufdfa'.repeat(1400)}${index}`),
  'a wide map': wide(20_000),
  'empty maps': many(90_000, () => ({})),
  numbers: many(90_000, () => 1e308),
}

/** Where only a blueprint knows the names: for each type of field, and for a name without a field. */
export const contentFields: readonly string[] = [...saved, 'unknown']

export const worstContents = (field: string): WorstBody[] =>
  [...Object.entries(contentTexts), ...Object.entries(contentValues)].map(([what, value]) =>
    json(`${what} in ${field}`, () => ({ [field]: value })),
  )

export const inManyFields: readonly WorstBody[] = [
  json('many texts at once', () =>
    Object.fromEntries(Object.values(contentTexts).map((text, index) => [`n${index}`, text.slice(0, 30_000)])),
  ),
  json('long texts in every field', () => Object.fromEntries(saved.map(name => [name, '\ufdfa'.repeat(9000)]))),
]

/** The bodies that took longest before there were limits. */
export const knownContents: ReadonlySet<string> = new Set([
  '20,000 rows in structure',
  '9,900 rows in structure',
  '10,000 blocks in blocks',
  '5,900 blocks in blocks',
  'blocks with much to clean in blocks',
  '3,000 rows of a layout in layout',
  'a row of many columns in layout',
  '10,000 references in pages',
  '4,900 references in pages',
  '50,000 words in tags',
  '29,000 words in tags',
  'ligatures in a list in tags',
  'a list in YAML in pages',
  'a list in YAML in structure',
  'a ligature that becomes 18 letters in textarea',
  'quotes in structure',
  'spaces in email',
  'open tags in writer',
  'nested lists in list',
  'references in textarea',
  'control characters in textarea',
])

// ---- files

const sent = (name: string, payload: () => Buffer): WorstBody => ({ name, type: formType, payload })
const form = (name: string, filename: string, bytes: () => Buffer | string) =>
  sent(name, () => formOf([{ filename, bytes: bytes() }]))

/** What an SVG can be full of. */
const svgContents: Readonly<Record<string, (bytes: number) => string>> = {
  shapes: bytes => repeat('<path d="M0 0"/>', bytes),
  'nested groups': bytes => repeat('<g>', bytes / 2) + repeat('</g>', bytes / 2),
  'one long path': bytes => `<path d="M0 0${repeat('l1 1', bytes)}"/>`,
  attributes: bytes => `<path ${Array.from({ length: bytes / 15 }, (_, index) => `data-a${index}="b"`).join(' ')}/>`,
  text: bytes => `<text>${repeat('a &amp; b ', bytes)}</text>`,
  comments: bytes => repeat('<!-- -->', bytes),
  instructions: bytes => repeat('<?a b?>', bytes),
  styles: bytes => `<style>${repeat('.a{fill:red}', bytes)}</style>`,
  escapes: bytes => `<style>${repeat('\\75 rl(', bytes)}</style>`,
  links: bytes => repeat('<a href="#x"><circle r="1"/></a>', bytes),
  'open brackets': bytes => repeat('<', bytes),
  'references to entities': bytes => repeat('&a;', bytes),
}

/** Of an endpoint that takes files. */
export async function worstUploads(): Promise<WorstBody[]> {
  const [png, jpeg, gif] = await Promise.all([picture('png'), picture('jpeg'), picture('gif')])
  const large = 1_500_000
  const named = (part: string) => form(`a name of ${part.slice(0, 20)}`, `${part}.png`, () => png)
  return [
    named('a'.repeat(60_000)),
    named('\ufdfa'.repeat(20_000)),
    named('.'.repeat(60_000)),
    named(' '.repeat(60_000)),
    named('%41'.repeat(20_000)),
    form('a picture with much behind it', 'a.png', () => Buffer.concat([png, Buffer.alloc(large)])),
    form('a picture with a broken end', 'a.png', () => Buffer.concat([png.subarray(0, 60), Buffer.alloc(large, 0x49)])),
    form('a photo of empty segments', 'a.jpg', () =>
      Buffer.concat([jpeg.subarray(0, 2), Buffer.from('ffe10002'.repeat(large / 4), 'hex'), jpeg.subarray(2)]),
    ),
    form('a photo of bytes ff', 'a.jpg', () => Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(large, 0xff)])),
    form('an animation of empty extensions', 'a.gif', () =>
      Buffer.concat([gif.subarray(0, 13), Buffer.from('21fe00'.repeat(large / 3), 'hex')]),
    ),
    form('a document of brackets', 'a.pdf', () => `%PDF-1.7\n${'<<'.repeat(large / 2)}`),
    form('a table of quotes', 'a.csv', () => '"'.repeat(large)),
    form('a text of ligatures', 'a.txt', () => '\ufdfa'.repeat(large / 3)),
    form('JSON of brackets', 'a.json', () => '['.repeat(large)),
    form('a page', 'a.html', () => '<b>'.repeat(large / 3)),
    form('zeros', 'a.bin', () => Buffer.alloc(large)),
    ...Object.entries(svgContents).map(([name, inner]) => form(`an SVG of ${name}`, 'a.svg', () => svg(inner(large)))),
    sent('many empty parts', () => formOf(many(10_000, index => ({ name: `f${index}`, filename: '', bytes: '' })))),
    sent('many fields', () => formOf([], wide(10_000))),
    sent('a field without an end', () => formOf([], { name: 'a'.repeat(large) })),
    sent('only boundaries', () => Buffer.from('--between-the-parts\r\n'.repeat(large / 21))),
    sent('no boundary', () => Buffer.alloc(large, '\r\n--')),
    sent('headers without an end', () => Buffer.from(`--between-the-parts\r\n${'a: b\r\n'.repeat(large / 6)}`)),
  ]
}
