/** Texts of realistic size, the same in every run. */
import { titleKey, wordsOf } from '../../src/platform/search/words.ts'

const sentences = [
  (a: string, b: string) => `The ${a} in the old harbour was built before anybody had measured the ${b}.`,
  (a: string, b: string) => `Whoever visits the ${a} should also take an hour for the ${b} behind it.`,
  (a: string, b: string) => `In spring the ${a} is closed for repairs, and the ${b} opens later than usual.`,
  (a: string, b: string) => `Nobody knows who drew the first map of the ${a}; the second one shows the ${b}.`,
  (a: string, b: string) => `Letters from that year mention a ${a}, two horses and a broken ${b}.`,
  (a: string, b: string) => `Our guide explains how a ${a} becomes a ${b}, step by step and with many pictures.`,
  (a: string, b: string) => `Früher stand hier eine Werkstatt; heute erinnert nur das Schild „${a}“ an ${b}.`,
  (a: string, b: string) => `Für Gruppen öffnen wir gerne außerhalb der Zeiten, zum Beispiel für ${a} und ${b}.`,
  (a: string, b: string) => `Die Ausstellung zeigt, wie ${a} über Jahrhunderte gewachsen ist, und fragt nach ${b}.`,
  (a: string, b: string) => `Wer mit dem Zug kommt, läuft zehn Minuten am Fluss entlang, vorbei an ${a} und ${b}.`,
]
const topics =
  'lighthouse museum bridge garden library workshop orchard railway harbour market tower mill theatre observatory chapel canal archive bakery forest printing-press Brücke Mühle Gärten Straße Bücherei Wörter Übergang Flößer Nähe Töpferei Größe Sägewerk'.split(
    ' ',
  )

/** In characters. Most texts are short, as in most sites; one in ten is long. */
const lengthOf = (index: number) => (index % 10 === 0 ? 1500 : 250)
/** Different texts; pages share them. */
const bodyCount = 4000

/** The words of a text in the search index. */
export interface IndexWords {
  words: ReadonlySet<string>
  joined: string
}

/** A pseudo-random number of 32 bits that is the same in every run. */
export function hashOf(number: number): number {
  let value = (number + 0x9e37_79b9) | 0
  value = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2_ae35)
  return (value ^ (value >>> 16)) >>> 0
}

const pick = <Value>(list: readonly Value[], number: number): Value => list[hashOf(number) % list.length]!

// Cached: creating texts for every page would take most of the time. Words have a cache of their own, because inserting
// pages does not need them.
const bodyCache: string[] = []
const wordsCache: IndexWords[] = []

/** One of `bodyCount` texts, as a JSON string. */
export function bodyOf(number: number): string {
  const index = hashOf(number) % bodyCount
  return (bodyCache[index] ??= JSON.stringify(textAt(index)))
}

export function indexWordsOf(number: number): IndexWords {
  const index = hashOf(number) % bodyCount
  return (wordsCache[index] ??= wordsAt(index))
}

function wordsAt(index: number): IndexWords {
  const words = wordsOf([textAt(index)])
  return { words: new Set(words), joined: words.join(' ') }
}

/** In characters: a longer paragraph gets no further sentence. */
const maxParagraphLength = 250

function textAt(index: number): string {
  const paragraphs = ['']
  let length = 0
  for (let part = 0; length < lengthOf(index); part++) {
    const number = index * 100 + part
    const sentence = pick(sentences, number)(pick(topics, number * 2 + 1), pick(topics, number * 3 + 2))
    const last = paragraphs.length - 1
    if (paragraphs[last]!.length > maxParagraphLength) paragraphs.push(sentence)
    else paragraphs[last] = `${paragraphs[last]} ${sentence}`.trim()
    length += sentence.length
  }
  // Adds words that few texts contain, like the names in real ones.
  return `${paragraphs.join('\n\n')} (${pick(topics, index)}${index % 100})`
}

export interface Topic {
  name: string
  key: string
  words: string[]
}

const topicList: Topic[] = topics.map(name => ({ name, key: titleKey(name), words: wordsOf([name]) }))

export const topicOf = (number: number): Topic => pick(topicList, number)

/**
 * The words of a text of lower-case Latin letters, digits and punctuation. Equals `wordsOf` for such a text, and is
 * quicker, because it folds nothing. `mustMatchProgram` checks samples.
 */
export const plainWords = (text: string): string[] => text.match(/[a-z\d]{2,}/g) ?? []
