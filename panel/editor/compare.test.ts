import { expect, test } from 'vitest'
import { rounds } from '../../test/slow.ts'
import type { FieldDefinition } from '../fields/field.ts'
import { type Change, compare, compareWords, type TextPiece } from './compare.ts'
import { equal } from './equal.ts'
import { richWords, wordsIn } from './rich-words.ts'

const shown = (pieces: readonly TextPiece[]) =>
  pieces
    .map(({ kind, text, marks }) => {
      const words = marks.length > 0 ? `${text}{${marks.join(' ')}}` : text
      return { same: words, gone: `[-${words}-]`, new: `[+${words}+]` }[kind]
    })
    .join('')
const plain = (text: string) => wordsIn(text).map(word => ({ text: word, marks: [] }))

test.each([
  ['the same', 'the same', 'the same'],
  ['', 'all new', '[+all new+]'],
  ['all gone', '', '[-all gone-]'],
  ['one two three', 'one three', 'one [-two -]three'],
  ['red, green', 'blue, white', '[-red, green-][+blue, white+]'],
  ['a b c d e', 'a x c d e', 'a [-b-][+x+] c d e'],
  ['Größe', 'Grösse', '[-Größe-][+Grösse+]'],
])('%j → %j', (before, after, expected) => {
  expect(shown(compareWords(plain(before), plain(after)))).toBe(expected)
})

test.each([
  ['<p>one two</p>', '<p>one <strong>two</strong></p>', 'one [-two-][+two{bold}+]'],
  ['<a href="/a">go</a>', '<a href="/b">go</a>', '[-go{link /a}-][+go{link /b}+]'],
  ['<p>a</p>', '<h2>a</h2>', '[+\n{block h2}+]a'],
  ['<p>Tom &amp; Eva</p>', '<p>Tom &amp; Ida</p>', 'Tom & [-Eva-][+Ida+]'],
])('rich text %j → %j', (before, after, expected) => {
  expect(shown(compareWords(richWords(before), richWords(after)))).toBe(expected)
})

const level = { type: 'select', label: 'Level', options: [{ value: 'h1', text: 'Large' }, { value: 'h2', text: 'Small' }] } // prettier-ignore
const blocks: FieldDefinition = {
  type: 'blocks',
  fieldsets: {
    heading: { name: 'Heading', tabs: { content: { fields: { level, text: { type: 'writer', label: 'Text' } } } } },
    image: { name: 'Image', tabs: { content: { fields: { image: { type: 'files', label: 'Image' }, alt: { type: 'text', label: 'Alternative text' } } } } },
  },
} // prettier-ignore

const heading = (text: string, size = 'h2') => ({
  id: 'a',
  type: 'heading',
  isHidden: false,
  content: { level: size, text },
})
const image = (uuid: string) => ({
  id: 'b',
  type: 'image',
  isHidden: false,
  content: { image: [{ id: uuid, uuid, text: uuid }], alt: '' },
})

test('blocks are compared one by one, with the labels of the blueprint', () => {
  const [size] = compare(blocks, [heading('Hi'), image('one')], [heading('Hi', 'h1'), image('one')])
  expect(size).toMatchObject({ type: 'group', label: 'Heading', kind: 'changed', changes: [{ label: 'Level' }] })
  expect(JSON.stringify(size)).toContain('Large')
  expect(JSON.stringify(size)).not.toContain('h1')
  expect(compare(blocks, [heading('Hi'), image('one')], [image('two'), heading('Hi')])).toMatchObject([
    { label: 'Image', kind: 'changed', changes: [{ type: 'entries', entries: [{ kind: 'gone' }, { kind: 'new' }] }] },
    { label: 'Heading', kind: 'moved', changes: [] },
  ])
  expect(compare(blocks, [heading('Hi')], [heading('Hi'), image('one')])).toMatchObject([
    { label: 'Image', kind: 'new', changes: [{ label: 'Image', entries: [{ kind: 'new', entry: { text: 'one' } }] }] },
  ])
  const hidden = { ...heading('Hi'), isHidden: true }
  expect(compare(blocks, [heading('Hi')], [hidden])).toMatchObject([
    { label: 'Heading', changes: [{ label: expect.stringMatching(/hidden$/i) as string }] },
  ])
})

// ---- two different contents never give an empty diff

/** The same numbers in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const types = ['text', 'textarea', 'writer', 'list', 'select', 'tags', 'toggle', 'date', 'number', 'files', 'users', 'object', 'structure', 'blocks', 'layout', 'unknown', undefined] as const // prettier-ignore
const definition = (type: (typeof types)[number]): FieldDefinition | undefined =>
  type === undefined
    ? undefined
    : { type, options: level.options, fields: { level, text: { type: 'writer' } }, fieldsets: blocks['fieldsets'], settings: { tabs: {} } } // prettier-ignore

function valueOf(next: () => number, depth = 0): unknown {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)]!
  const list = (make: () => unknown) => Array.from({ length: Math.floor(next() * 3) }, make)
  const word = () => pick(['', 'a', 'a ', ' a', 'h1', 'h2', 'a\nb', 'A', '<b>a</b>', '<strong>a</strong>', '<a href="/x">a</a>', '<a href="/y" title="t">a</a>', '<p>a</p>', '<p class="x">a</p>', '&amp;', '<!-- x -->', '2031-01-01', '2031-01-01 00:00:00', '{}', '[]', 'null', 'true', 'Yes']) // prettier-ignore
  const map = () => ({
    [pick(['text', 'level', 'uuid', 'id', 'x'])]: valueOf(next, depth + 1),
    [pick(['a', 'b'])]: word(),
  })
  const block = () => ({ id: pick(['1', '2']), type: pick(['heading', 'image', 'other']), isHidden: next() < 0.5, content: { text: word(), level: word() }, ...(next() < 0.2 && { more: word() }) }) // prettier-ignore
  const columns = () => list(() => ({ id: pick(['1', '2']), width: pick(['1/1', '1/2']), blocks: list(block) }))
  const makers = [
    word, word, () => pick([0, 1, 10, true, false, null]), () => list(word), () => list(block),
    () => list(() => ({ id: word(), uuid: pick(['u1', 'u2', null]), text: word(), url: word() })),
    ...(depth < 2 ? [map, () => list(map), () => list(() => ({ id: pick(['1', '2']), attrs: {}, columns: columns() }))] : []),
  ] // prettier-ignore
  return pick(makers)()
}

const isSeen = (change: Change): boolean =>
  change.type === 'text'
    ? change.pieces.some(({ kind, text }) => kind !== 'same' && text !== '')
    : change.type === 'entries'
      ? change.entries.some(({ kind }) => kind !== 'same')
      : change.kind !== 'changed' || change.changes.some(isSeen)

test('different contents always give a difference, and equal contents never do', () => {
  const next = random(Number(process.env['QUOIN_TEST_SEED'] ?? 7))
  for (let round = 0; round < rounds(100, 400); round++) {
    const [before, after] = [valueOf(next), valueOf(next)]
    for (const type of types) {
      const changes = compare(definition(type), before, after)
      const isShown = changes.some(isSeen)
      expect({ type, before, after, isShown }).toEqual({ type, before, after, isShown: !equal(before, after) })
    }
  }
})
