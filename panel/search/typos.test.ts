import { expect, test } from 'vitest'
import { matchesWithTypos, withoutEndings } from './typos.ts'

test.each([
  ['lighthose', 'The lighthouse'], // missing
  ['lighhthouse', 'The lighthouse'], // added
  ['lighthause', 'The lighthouse'], // wrong
  ['lihgthouse', 'The lighthouse'], // swapped
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
  expect(withoutEndings('Lighthose on hill')).toBe('li on hi')
  expect(withoutEndings('cat')).toBeUndefined()
})
