import { expect, test } from 'vitest'
import { beginningsOf, matchesWithTypos } from './typos.ts'

test.each([
  ['lighthose', 'The lighthouse'], // missing
  ['lighhthouse', 'The lighthouse'], // added
  ['lighthause', 'The lighthouse'], // wrong
  ['lihgthouse', 'The lighthouse'], // swapped
  ['ilghthouse', 'The lighthouse'],
  ['lighthuos', 'The lighthouse'], // not typed to the end
  ['LIGHTHOSE the', 'The lighthouse'],
  ['überraschnug', 'Eine Überraschung'],
])('“%s” finds “%s”', (term, text) => {
  expect(matchesWithTypos(term, text)).toBe(true)
})

test.each([
  ['lgithuose', 'The lighthouse'], // two
  ['cta', 'A cat'], // too short for a typo
  ['lighthose cellar', 'The lighthouse'],
  ['mouse', 'The lighthouse'],
])('“%s” does not find “%s”', (term, text) => {
  expect(matchesWithTypos(term, text)).toBe(false)
})

test('the search is repeated with the beginnings of the words', () => {
  expect(beginningsOf('Lighthose on hill')).toEqual(['li on hi', 'il on ih'])
  expect(beginningsOf('cat')).toEqual([])
})
