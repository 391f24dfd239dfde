import { expect, test } from 'vitest'
import { asciiRules, slugRules, toSlug as onServer } from '../../src/platform/lib/slug.ts'
import { toSlug } from './slug.ts'

test.each([
  ['Hello, World!', 'en'],
  ['Über die Käserei', 'de'],
  ['Über die Käserei', 'en'],
  ['Smørrebrød på Æbeltoft', 'da'],
  ['Ćwierć łyżki', 'pl'],
  ['Привет, мир', 'ru'],
  ['Ελληνικά', 'el'],
  ["L'été d’après", 'fr'],
  ['日本語 の 見出し', 'ja'],
  ['العربية', 'ar'],
  ['  --  ', 'en'],
  ['ﬁne ½', 'en'],
])('the suggested slug for %j (%s) is the one that the server creates', (title, language) => {
  const rules = slugRules(language)
  expect(toSlug(title, rules, asciiRules())).toBe(onServer(title, rules))
})
