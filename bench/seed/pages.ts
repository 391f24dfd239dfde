/** The pages of a seeded site: what stands at which place, as the program itself would have stored it. */
import { hash } from 'node:crypto'
import { entryOf, placeIn } from '../../src/search/search.ts'
import { bodyOf, plainWords, scramble, thingOf } from './texts.ts'

const childrenEach = 1000
const sectionsEach = 1000
const day = 86_400_000
const began = Date.UTC(2020, 0, 1)

export interface SeedPage extends Found {
  uuid: string
  parent: string
  path: string
  slug: string
  status: 'listed' | 'unlisted' | 'draft'
  num: number | null
  template: string
  created: number
  data: string
  digest: string
}

/** How a page is found. */
export interface Found {
  titleKey: string
  heavy: string
  light: string
  place: string
}

/** Where a page is. */
interface Place {
  index: number
  parent: string
  path: string
  slug: string
  template: string
  /** Among its neighbours, from 1. */
  position: number
  isLeaf: boolean
}

const leafTemplates = ['article', 'note', 'event'] as const

/** Blueprints of these pages. */
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

  function placeAt(index: number): Place {
    if (index < topics) return place(index, undefined, `topic-${index + 1}`, 'topic', index)
    const section = index - topics
    const inTopic = Math.floor(section / sectionsEach)
    if (section < sections) return place(index, inTopic, `section-${section + 1}`, 'section', section % sectionsEach)
    const leaf = section - sections
    const template = leafTemplates[leaf % leafTemplates.length]!
    const above = topics + Math.floor(leaf / childrenEach)
    return { ...place(index, above, `${template}-${leaf + 1}`, template, leaf % childrenEach), isLeaf: true }
  }

  function place(index: number, above: number | undefined, slug: string, template: string, position: number): Place {
    const isTop = above === undefined
    const path = isTop ? slug : `${placeAt(above).path}/${slug}`
    return { index, parent: isTop ? '' : uuidOf(above), path, slug, template, position: position + 1, isLeaf: false }
  }

  return {
    pageAt: (index: number) => pageIn(placeAt(index)),
    foundAt: (index: number) => foundIn(placeAt(index)),
  }
}

function pageIn({ isLeaf, position, ...place }: Place): SeedPage {
  const { index, parent, path, slug, template } = place
  // The first eight of ten are listed, so that their numbers are those of their places.
  const share = isLeaf ? position / childrenEach : 0
  const status = share <= 0.8 ? 'listed' : share <= 0.9 ? 'unlisted' : 'draft'
  const found = foundIn(place)
  const { titleKey, heavy, light, place: inside } = found
  return {
    uuid: uuidOf(index),
    parent,
    path,
    slug,
    status,
    num: status === 'listed' ? position : null,
    template,
    created: began + index,
    data: contentAt(index),
    titleKey,
    heavy,
    light,
    place: inside,
    digest: hash('sha256', `${titleKey}\n${heavy}\n${light}\n${inside}\n`, 'base64url').slice(0, 22),
  }
}

const dates = Array.from({ length: 2000 }, (_, index) => {
  const text = new Date(began + index * day).toISOString().slice(0, 10)
  return { text, words: plainWords(text) }
})
const dateOf = (index: number) => dates[index % dates.length]!

function contentAt(index: number): string {
  const [teaser, one, other] = [thingOf(index + 1), thingOf(index + 2), thingOf(index + 3)] as const
  return (
    `{"title":"${thingOf(index).name} ${index + 1}","text":${bodyOf(index).json},"date":"${dateOf(index).text}",` +
    `"teaser":"${teaser.name} ${codeOf(index)}","tags":"${one.name}, ${other.name}"}`
  )
}

function foundIn({ index, parent, path }: Pick<Place, 'index' | 'parent' | 'path'>): Found {
  const body = bodyOf(index)
  const thing = thingOf(index)
  const number = String(index + 1)
  const heavy = [...thing.words]
  for (const words of [plainWords(number), plainWords(path)]) addMissing(heavy, words)
  const light: string[] = []
  addMissing(light, dateOf(index).words, body.words)
  addMissing(light, thingOf(index + 1).words, body.words)
  addMissing(light, [codeOf(index)], body.words)
  for (const more of [2, 3]) addMissing(light, thingOf(index + more).words, body.words)
  return {
    titleKey: `${thing.key} ${number}`,
    heavy: heavy.join(' '),
    light: [body.joined, ...light].join(' '),
    place: placeIn(parent),
  }
}

function addMissing(list: string[], words: readonly string[], known?: ReadonlySet<string>): void {
  for (const word of words) if (!known?.has(word) && !list.includes(word)) list.push(word)
}

/** All pages by their uuids: whoever stores them in this order adds to the end of what is sorted by it. */
export function inOrder(count: number): number[] {
  const uuids = Array.from({ length: count }, (_, index) => uuidOf(index))
  return Array.from(uuids.keys()).toSorted((a, b) => (uuids[a]! < uuids[b]! ? -1 : 1))
}

/** A word that no other page has. */
export const codeOf = (index: number) => `q${scramble(index).toString(36)}`

/** Sixteen letters and digits that look like chance; the last of them are the number itself, so that there is none twice. */
function uuidOf(index: number): string {
  const chance = scramble(index).toString(36).padStart(7, '0') + scramble(~index).toString(36).padStart(7, '0')
  return chance.slice(0, 11) + index.toString(36).padStart(5, '0')
}

/** What is computed here in a quick way must be what the program itself would have computed. */
export function mustAgree({ uuid, data, path, parent, digest }: SeedPage): void {
  const stored = { owner: `page://${uuid}`, language: '', data, path, parent, filename: null, id: null, digest: null }
  if (entryOf(stored)?.digest !== digest) throw new Error(`the program would find ${path} by other words`)
}
