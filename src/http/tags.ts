/**
 * Cache tags: what an answer to an anonymous client depends on, as `Surrogate-Key` and `Cache-Tag`. A shared cache that knows them
 * drops the answers that a change concerns, and no others.
 */

/** Every answer has it: for changes that concern everything. */
export const tagOfAll = 'all'
/** Answers that may depend on any content, such as searches. */
export const tagOfAny = 'any'
/** Answers that show the site itself, or its files. */
export const tagOfSite = 'site'

/** The length of one header; servers and caches accept about 8 kB. With more tags, the answer depends on any content. */
const maxLength = 4000

/** The tags of a request are collected only if the site sends them, and only for anonymous clients. */
interface Tagged {
  tags?: Set<string> | undefined
}

export function addTags({ tags }: Tagged, added: () => readonly string[]): void {
  if (tags) for (const tag of added()) tags.add(tag)
}

/** `isComplete`: the tags name everything that the answer depends on. */
export function tagHeaders(collected: ReadonlySet<string>, language: string | undefined, isComplete: boolean) {
  const general = [tagOfAll, ...(language === undefined ? [] : [tagOf('language', language)])]
  const special = [...collected]
  const length = special.reduce((sum, tag) => sum + tag.length + 1, 0)
  const tags = isComplete && length <= maxLength ? [...general, ...special] : [...general, tagOfAny]
  return { 'surrogate-key': tags.join(' '), 'cache-tag': tags.join(',') }
}

/** Paths may have any characters; a tag has none that means something in a header or a regular expression. */
export const tagOf = (kind: string, name: string) =>
  `${kind}-${name.replaceAll(/[^\w/-]/gu, character => encodeURIComponent(character).replaceAll(/[.!~*'()]/g, hex))}`

const hex = (character: string) => `%${character.codePointAt(0)!.toString(16).toUpperCase()}`
