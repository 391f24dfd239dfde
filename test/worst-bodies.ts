/** The bodies that take longest to process: for every endpoint, derived from its declaration, for contents and for uploads. */
import { fieldTypes } from '../src/blueprints/fields/index.ts'
import type { AnyEndpoint } from '../src/http/endpoint.ts'
import { svg, multipartBody, multipartContentType, createImage } from './files.ts'
import { bodiesOf, places, put } from './samples.ts'

export interface WorstBody {
  name: string
  type: string
  /** Creates the bytes when the body is sent: all bodies together would take gigabytes. */
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

/** In bytes: just below the limit of a JSON body, 1 MiB. */
const maxBytes = 1_000_000
const repeat = (part: string, bytes = maxBytes) => part.repeat(Math.floor(bytes / Buffer.byteLength(part)))

// ---- bodies that every endpoint refuses

const refused: readonly WorstBody[] = [
  json('40,000 unknown keys', () => wide(40_000)),
  json('keys of ligatures', () => Object.fromEntries(many(3000, index => [`${'\ufdfa'.repeat(100)}${index}`, 1]))),
  raw('duplicate keys', () => `{${repeat('"a":1,')}"a":1}`),
  raw('keys named __proto__', () => `{${repeat('"__proto__":{},', 100_000)}"a":1}`),
  raw('nested arrays', () => repeat('[')),
  raw('nested objects', () => repeat('{"a":')),
  raw('arrays of allowed depth', () => `[${many(8000, () => '['.repeat(60) + ']'.repeat(60)).join(',')}]`),
  raw('a long array', () => `[${repeat('1,')}1]`),
  raw('an array of empty objects', () => `[${repeat('{},', 299_000)}{}]`),
  raw('an array of objects', () => `[${repeat('{"a":"b"},')}{}]`),
  raw('a string of escapes', () => `{"a":"${repeat('\\u0041')}"}`),
  raw('a string of lone surrogates', () => `{"a":"${repeat('\\ud800')}"}`),
  raw('a number of 1,000,000 digits', () => `{"a":${repeat('9')}}`),
  raw('numbers with large exponents', () => `[${repeat('1e308,')}1]`),
  raw('spaces', () => repeat(' ')),
  raw('a string without an end', () => `{"a":"${repeat('b')}`),
  raw('invalid UTF-8', () => Buffer.alloc(maxBytes, 0xff)),
]

// ---- values in each place of a body

/** Length of most texts, in characters. */
const length = 150_000
const texts: Readonly<Record<string, string>> = {
  'a ligature that becomes 18 letters': '\ufdfa'.repeat(300_000),
  'combining marks': `a${'\u0301'.repeat(length)}`,
  quotes: '"'.repeat(length),
  backslashes: '\\'.repeat(length),
  'control characters': '\u0001'.repeat(length),
  'angle brackets': '<'.repeat(length),
  'at signs': 'a@'.repeat(length),
  dots: 'a.'.repeat(length),
  spaces: `a${' '.repeat(length)}b`,
  digits: '9'.repeat(length),
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
    yield json(`40,000 keys in ${at}`, () => put(sample, path, { ...(value as object), ...wide(40_000) }))
  }
}

/** The bodies for an endpoint that takes JSON. */
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
  'open tags': '<b>'.repeat(length / 4),
  'nested lists': '<ul><li>'.repeat(length / 8),
  attributes: `<p ${'a=b '.repeat(length / 4)}>`,
  ampersands: '&'.repeat(length),
  entities: '&amp;'.repeat(length / 5),
  'line breaks': '\n'.repeat(length),
  commas: ','.repeat(length),
  'new words': many(20_000, index => index.toString(36)).join(' '),
  'no spaces': '東'.repeat(length),
  brackets: '['.repeat(length),
  'a list in YAML': '- a\n'.repeat(length / 4),
  'anchors in YAML': many(2000, index => `- &a${index} [*a${Math.max(0, index - 1)}]`).join('\n'),
  'mappings in YAML': many(5000, index => `- a: ${index}\n  b: c`).join('\n'),
  'JSON in a text': JSON.stringify(many(20_000, () => ({ a: 'x' }))),
  'a javascript: URL': `javascript:${'a'.repeat(length)}`,
  references: many(5000, index => `page://${index}`).join('\n'),
  'tags of a textarea': '(link: x text: y)'.repeat(length / 17),
}

const contentValues: Readonly<Record<string, unknown>> = {
  '20,000 rows': many(20_000, () => ({ a: 'x', b: html })),
  '9,900 rows': many(9900, index => ({ a: `x${index}`, b: html })),
  'wrong rows': many(50_000, () => 1),
  'wide rows': many(10, () => wide(2000)),
  '10,000 blocks': many(10_000, () => block(html)),
  '5,900 blocks': many(5900, index => ({ id: `b${index}`, ...block(html) })),
  'blocks with HTML to sanitise': many(2000, () => block('<i x>')),
  'unknown blocks': many(20_000, index => ({ type: `t${index}`, content: {} })),
  'nested blocks': [deep(30)],
  'nested arrays': many(20, () => JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown),
  '3,000 layout rows': many(3000, () => ({ columns: [{ width: '1/1', blocks: [block(html)] }] })),
  '7,000 layout rows without columns': many(7000, () => ({ columns: [] })),
  'a layout row of 7,000 columns': [{ columns: many(7000, () => ({ width: '1/1', blocks: [] })) }],
  '10,000 references': many(10_000, index => `page://${index}`),
  '4,900 references': many(4900, index => `page://a${index}`),
  'references as objects': many(10_000, index => ({ uuid: `file://${index}` })),
  '50,000 words': many(50_000, index => `w${index}`),
  '29,000 words': many(29_000, index => `w${index}`),
  'an array of ligatures': many(200, index => `${'\ufdfa'.repeat(1400)}${index}`),
  '20,000 keys': wide(20_000),
  'empty objects': many(90_000, () => ({})),
  numbers: many(90_000, () => 1e308),
}

/** Names of fields in contents: one for each type, and one without a field in the blueprint. */
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

/** The contents that took longest before there were limits. */
export const knownContents: ReadonlySet<string> = new Set([
  '20,000 rows in structure',
  '9,900 rows in structure',
  '10,000 blocks in blocks',
  '5,900 blocks in blocks',
  'blocks with HTML to sanitise in blocks',
  '3,000 layout rows in layout',
  'a layout row of 7,000 columns in layout',
  '10,000 references in pages',
  '4,900 references in pages',
  '50,000 words in tags',
  '29,000 words in tags',
  'an array of ligatures in tags',
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

const sent = (name: string, payload: () => Buffer): WorstBody => ({ name, type: multipartContentType, payload })
const form = (name: string, filename: string, bytes: () => Buffer | string) =>
  sent(name, () => multipartBody([{ filename, bytes: bytes() }]))

/** Contents of SVG files of about this size, in bytes. */
const svgContents: Readonly<Record<string, (bytes: number) => string>> = {
  shapes: bytes => repeat('<path d="M0 0"/>', bytes),
  'nested groups': bytes => repeat('<g>', bytes / 2) + repeat('</g>', bytes / 2),
  'one long path': bytes => `<path d="M0 0${repeat('l1 1', bytes)}"/>`,
  attributes: bytes => `<path ${Array.from({ length: bytes / 15 }, (_, index) => `data-a${index}="b"`).join(' ')}/>`,
  text: bytes => `<text>${repeat('a &amp; b ', bytes)}</text>`,
  comments: bytes => repeat('<!-- -->', bytes),
  'processing instructions': bytes => repeat('<?a b?>', bytes),
  'style rules': bytes => `<style>${repeat('.a{fill:red}', bytes)}</style>`,
  'CSS escapes': bytes => `<style>${repeat('\\75 rl(', bytes)}</style>`,
  links: bytes => repeat('<a href="#x"><circle r="1"/></a>', bytes),
  'open brackets': bytes => repeat('<', bytes),
  'references to entities': bytes => repeat('&a;', bytes),
}

/** The bodies for an endpoint that takes files. */
export async function worstUploads(): Promise<WorstBody[]> {
  const [png, jpeg, gif] = await Promise.all([createImage('png'), createImage('jpeg'), createImage('gif')])
  /** Size of a file, in bytes. */
  const large = 1_500_000
  const named = (part: string) => form(`a filename of ${part.slice(0, 20)}`, `${part}.png`, () => png)
  return [
    named('a'.repeat(60_000)),
    named('\ufdfa'.repeat(20_000)),
    named('.'.repeat(60_000)),
    named(' '.repeat(60_000)),
    named('%41'.repeat(20_000)),
    form('a PNG with 1.5 MB of zeros behind it', 'a.png', () => Buffer.concat([png, Buffer.alloc(large)])),
    form('a PNG with a broken end', 'a.png', () => Buffer.concat([png.subarray(0, 60), Buffer.alloc(large, 0x49)])),
    form('a JPEG of empty segments', 'a.jpg', () =>
      Buffer.concat([jpeg.subarray(0, 2), Buffer.from('ffe10002'.repeat(large / 4), 'hex'), jpeg.subarray(2)]),
    ),
    form('a JPEG of bytes ff', 'a.jpg', () => Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(large, 0xff)])),
    form('a GIF of empty extensions', 'a.gif', () =>
      Buffer.concat([gif.subarray(0, 13), Buffer.from('21fe00'.repeat(large / 3), 'hex')]),
    ),
    form('a PDF of brackets', 'a.pdf', () => `%PDF-1.7\n${'<<'.repeat(large / 2)}`),
    form('a CSV file of quotes', 'a.csv', () => '"'.repeat(large)),
    form('a text file of ligatures', 'a.txt', () => '\ufdfa'.repeat(large / 3)),
    form('JSON of brackets', 'a.json', () => '['.repeat(large)),
    form('an HTML file of open tags', 'a.html', () => '<b>'.repeat(large / 3)),
    form('zeros', 'a.bin', () => Buffer.alloc(large)),
    ...Object.entries(svgContents).map(([name, inner]) => form(`an SVG of ${name}`, 'a.svg', () => svg(inner(large)))),
    sent('many empty parts', () =>
      multipartBody(many(10_000, index => ({ name: `f${index}`, filename: '', bytes: '' }))),
    ),
    sent('many fields', () => multipartBody([], wide(10_000))),
    sent('one field of 1.5 MB', () => multipartBody([], { name: 'a'.repeat(large) })),
    sent('only boundaries', () => Buffer.from('--between-the-parts\r\n'.repeat(large / 21))),
    sent('no boundary', () => Buffer.alloc(large, '\r\n--')),
    sent('headers without an end', () => Buffer.from(`--between-the-parts\r\n${'a: b\r\n'.repeat(large / 6)}`)),
  ]
}
