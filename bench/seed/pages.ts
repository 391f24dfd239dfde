/** The pages of a seeded site, as the program itself would have stored them. */
import { hash } from 'node:crypto'
import { entryFromRow, childrenPlace } from '../../src/platform/search/search.ts'
import { bodyOf, indexWordsOf, plainWords, hashOf, topicOf } from './texts.ts'

const childrenEach = 1000
const sectionsEach = 1000
const day = 86_400_000
const firstDate = Date.UTC(2020, 0, 1)

export interface SeedPage {
  uuid: string
  parent: string
  path: string
  slug: string
  status: 'listed' | 'unlisted' | 'draft'
  num: number | null
  template: string
  created: number
  data: string
}

/** The search index entry of a page. */
export interface IndexedPage {
  titleKey: string
  heavy: string
  light: string
  place: string
}

/** The position of a page in the tree. */
interface Place {
  index: number
  /** Undefined at the top level. */
  above: Place | undefined
  uuid: string
  path: string
  slug: string
  template: string
  /** Among its siblings, from 1. */
  position: number
  isLeaf: boolean
}

const leafTemplates = ['article', 'note', 'event'] as const

/** The blueprints of these pages. */
export const blueprints: Record<string, string> = Object.fromEntries(
  ['topic', 'section', ...leafTemplates].map(name => [
    `pages/${name}.yml`,
    `title: ${name}\nfields:\n  text: {type: textarea}\n  date: {type: date}\n  teaser: {type: text}\n  tags: {type: tags}\n`,
  ]),
)

/** Topics of a thousand sections of a thousand pages; `count` pages in all. */
export function createTree(count: number) {
  const sections = Math.max(1, Math.ceil((count - 1) / (childrenEach + 1)))
  const topics = Math.ceil(sections / sectionsEach)
  const uuids = Array.from({ length: count }, (_, index) => uuidOf(index))
  const branches: Place[] = []
  for (let index = 0; index < topics + sections; index++) {
    const section = index - topics
    branches.push(
      section < 0
        ? place(index, undefined, `topic-${index + 1}`, 'topic', index)
        : place(
            index,
            branches[Math.floor(section / sectionsEach)],
            `section-${section + 1}`,
            'section',
            section % sectionsEach,
          ),
    )
  }

  function placeAt(index: number): Place {
    if (index < branches.length) return branches[index]!
    const leaf = index - branches.length
    const template = leafTemplates[leaf % leafTemplates.length]!
    const above = branches[topics + Math.floor(leaf / childrenEach)]
    return place(index, above, `${template}-${leaf + 1}`, template, leaf % childrenEach, true)
  }

  function place(
    index: number,
    above: Place | undefined,
    slug: string,
    template: string,
    position: number,
    isLeaf = false,
  ): Place {
    const path = above ? `${above.path}/${slug}` : slug
    return { index, above, uuid: uuids[index]!, path, slug, template, position: position + 1, isLeaf }
  }

  return {
    pageAt: (index: number) => pageIn(placeAt(index)),
    entryAt: (index: number) => entryIn(placeAt(index)),
    /** The indexes of all pages in the order of their uuids: inserts in this order append to the B-tree. */
    byUuid: () => Array.from(uuids.keys()).toSorted((a, b) => (uuids[a]! < uuids[b]! ? -1 : 1)),
  }
}

function pageIn({ index, above, uuid, path, slug, template, position, isLeaf }: Place): SeedPage {
  // The first 80 % are listed, so that their numbers equal their positions.
  const share = isLeaf ? position / childrenEach : 0
  const status = share <= 0.8 ? 'listed' : share <= 0.9 ? 'unlisted' : 'draft'
  return {
    uuid,
    parent: above?.uuid ?? '',
    path,
    slug,
    status,
    num: status === 'listed' ? position : null,
    template,
    created: firstDate + index,
    data: contentAt(index),
  }
}

const dates = Array.from({ length: 2000 }, (_, index) => {
  const text = new Date(firstDate + index * day).toISOString().slice(0, 10)
  return { text, words: plainWords(text) }
})
const dateOf = (index: number) => dates[index % dates.length]!

function contentAt(index: number): string {
  const [teaser, one, other] = [topicOf(index + 1), topicOf(index + 2), topicOf(index + 3)] as const
  return (
    `{"title":"${topicOf(index).name} ${index + 1}","text":${bodyOf(index)},"date":"${dateOf(index).text}",` +
    `"teaser":"${teaser.name} ${codeOf(index)}","tags":"${one.name}, ${other.name}"}`
  )
}

const childWordsCache = new WeakMap<Place, { place: string; words: string[] }>()

/** Cached: what all children of a page have in common. */
function childWordsOf(above: Place) {
  let inside = childWordsCache.get(above)
  if (!inside)
    childWordsCache.set(above, (inside = { place: childrenPlace(above.uuid), words: plainWords(above.path) }))
  return inside
}

const atTop = { place: childrenPlace(''), words: [] }

function entryIn({ index, above, slug }: Place): IndexedPage {
  const body = indexWordsOf(index)
  const topic = topicOf(index)
  const number = String(index + 1)
  const inside = above ? childWordsOf(above) : atTop
  const heavy = [...topic.words]
  for (const words of [plainWords(number), inside.words, plainWords(slug)]) addMissing(heavy, words)
  const light: string[] = []
  addMissing(light, dateOf(index).words, body.words)
  addMissing(light, topicOf(index + 1).words, body.words)
  addMissing(light, [codeOf(index)], body.words)
  for (const more of [2, 3]) addMissing(light, topicOf(index + more).words, body.words)
  return {
    titleKey: `${topic.key} ${number}`,
    heavy: heavy.join(' '),
    light: [body.joined, ...light].join(' '),
    place: inside.place,
  }
}

export const digestOf = ({ titleKey, heavy, light, place }: IndexedPage) =>
  hash('sha256', `${titleKey}\n${heavy}\n${light}\n${place}\n`, 'base64url').slice(0, 22)

function addMissing(list: string[], words: readonly string[], except?: ReadonlySet<string>): void {
  for (const word of words) if (!except?.has(word) && !list.includes(word)) list.push(word)
}

/** A word that no other page contains. */
export const codeOf = (index: number) => `q${hashOf(index).toString(36)}`

/** Sixteen pseudo-random letters and digits; the last ones encode the index, so that ids are unique. */
function uuidOf(index: number): string {
  const random = hashOf(index).toString(36).padStart(7, '0') + hashOf(~index).toString(36).padStart(7, '0')
  return random.slice(0, 11) + index.toString(36).padStart(5, '0')
}

/** Throws if the entry, which is computed here with shortcuts, differs from the one that the program would store. */
export async function mustMatchProgram({ uuid, data, path, parent }: SeedPage, entry: IndexedPage): Promise<void> {
  const stored = { owner: `page://${uuid}`, language: '', data, path, parent, filename: null, id: null, digest: null }
  if ((await entryFromRow(stored))?.digest !== digestOf(entry))
    throw new Error(`the program would index other words for ${path}`)
}
