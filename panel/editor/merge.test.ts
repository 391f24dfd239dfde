import { expect, test } from 'vitest'
import { merge } from './merge.ts'

const block = (id: string, text: string, more: object = {}) => ({
  id,
  type: 'text',
  isHidden: false,
  content: { text },
  ...more,
})
const row = (name: string, price: number) => ({ name, price })
const texts = (value: unknown) => (value as { content: { text: string } }[]).map(({ content }) => content.text)

test('blocks are merged by id: only a block that both changed is a conflict', () => {
  const old = { body: [block('a', 'A'), block('b', 'B'), block('c', 'C')] }
  const mine = { body: [block('a', 'A mine'), block('b', 'B mine'), block('new', 'N'), block('c', 'C')] }
  const theirs = { body: [block('x', 'X'), block('a', 'A'), block('b', 'B theirs'), block('c', 'C theirs')] }
  const { values, collisions } = merge({ mine, old, theirs })
  expect(texts(values['body'])).toEqual(['X', 'A mine', 'B mine', 'N', 'C theirs'])
  expect(collisions).toMatchObject([{ key: 'body/b/content/text', old: 'B', mine: 'B mine', theirs: 'B theirs' }])
  const chosen = merge({ mine, old, theirs }, () => 'theirs')
  expect(texts(chosen.values['body'])).toEqual(['X', 'A mine', 'B theirs', 'N', 'C theirs'])
  // Merging again gives the same result and the same conflicts.
  expect(merge({ mine: values, old, theirs })).toMatchObject({ values, collisions: [{ key: 'body/b/content/text' }] })
})

test('a block deleted by one and changed by the other is a conflict; an unchanged block is deleted', () => {
  const old = { body: [block('a', 'A'), block('b', 'B')] }
  const mine = { body: [] }
  const theirs = { body: [block('a', 'A theirs'), block('b', 'B')] }
  const merged = merge({ mine, old, theirs })
  expect(merged.values).toEqual({ body: [] })
  expect(merged.collisions).toMatchObject([{ key: 'body/a', mine: undefined, theirs: block('a', 'A theirs') }])
  expect(texts(merge({ mine, old, theirs }, () => 'theirs').values['body'])).toEqual(['A theirs'])
})

test('the order of blocks is theirs if only they changed it, and a conflict if both did', () => {
  const [a, b, c] = [block('a', 'A'), block('b', 'B'), block('c', 'C')]
  const old = { body: [a, b, c] }
  const changed = { body: [block('a', 'A mine'), b, c] }
  expect(texts(merge({ mine: changed, old, theirs: { body: [c, b, a] } }).values['body'])).toEqual(['C', 'B', 'A mine'])
  const both = merge({ mine: { body: [b, a, c] }, old, theirs: { body: [c, b, a] } })
  expect(texts(both.values['body'])).toEqual(['B', 'A', 'C'])
  expect(both.collisions).toMatchObject([{ key: 'body/*order', isOrder: true }])
})

test('rows of a structure are merged by their old values: added, deleted, changed and moved rows', () => {
  const old = { rows: [row('tea', 1), row('milk', 2), row('bread', 3)] }
  const mine = { rows: [row('tea', 1), row('milk', 20), row('bread', 3), row('salt', 4)] }
  const theirs = { rows: [row('tea', 1), row('oat milk', 2), row('pepper', 5)] }
  const { values, collisions } = merge({ mine, old, theirs })
  expect(values).toEqual({ rows: [row('tea', 1), row('oat milk', 20), row('pepper', 5), row('salt', 4)] })
  expect(collisions).toEqual([])
  const price = merge({
    mine: { rows: [row('tea', 7)] },
    old: { rows: [row('tea', 1)] },
    theirs: { rows: [row('tea', 8)] },
  })
  expect(price.collisions).toMatchObject([
    { mine: 7, theirs: 8, trail: [{ name: 'rows' }, { index: 0 }, { name: 'price' }] },
  ])
})

const layout = (left: string, right: string) => [
  { id: 'r', attrs: {}, columns: [{ id: '1', width: '1/2', blocks: [block('a', left)] }, { id: '2', width: '1/2', blocks: [block('b', right)] }] },
] // prettier-ignore
const file = (uuid: string, text = uuid) => ({ id: uuid, uuid, text })

test('layouts, objects, tags and references are merged in parts; plain texts conflict as a whole', () => {
  const old = {
    grid: layout('L', 'R'),
    place: { city: 'A', zip: '1' },
    tags: ['a', 'b'],
    files: [file('1')],
    text: 't',
  }
  const mine = { ...old, grid: layout('mine', 'R'), place: { city: 'B', zip: '1' }, tags: ['a', 'b', 'c'], files: [file('1'), file('2')], text: 'm' } // prettier-ignore
  const theirs = { ...old, grid: layout('L', 'theirs'), place: { city: 'A', zip: '2' }, tags: ['b'], files: [file('3'), file('1')], text: 'o' } // prettier-ignore
  const { values, collisions } = merge({ mine, old, theirs })
  expect(values).toEqual({
    grid: layout('mine', 'theirs'),
    place: { city: 'B', zip: '2' },
    tags: ['b', 'c'],
    files: [file('3'), file('1'), file('2')],
    text: 'm',
  })
  expect(collisions.map(({ key }) => key)).toEqual(['text'])
})
