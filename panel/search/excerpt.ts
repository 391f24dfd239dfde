import { useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { useDebounced } from '../app/use-debounced.ts'
import { readable } from '../editor/readable.ts'
import { valuesWithText } from '../editor/long-texts.ts'

/** The place in a text where a word of the search is. */
export interface Excerpt {
  before: string
  match: string
  after: string
}

/** Debounce before contents are read, in ms. They are larger than titles. */
const pauseMs = 350
/** Characters before and after the word. */
const around = 60

/** Excerpts of the found pages by id: read after the results, which do not wait for them. */
export function useExcerpts(term: string, language: string | undefined, limit: number): ReadonlyMap<string, Excerpt> {
  const settled = useDebounced(term, pauseMs)
  const { data = none } = useQuery({
    queryKey: [...keys.search(settled, language), 'excerpts'],
    queryFn: async () => {
      const { data: pages } = await client.site.search({ q: settled, limit, language, select: ['id', 'content'] })
      return new Map(pages.flatMap(({ id, content }) => found(id, excerptOf(content, settled))))
    },
    enabled: settled.length > 2 && settled === term,
    staleTime: 10_000,
  })
  return settled === term ? data : none
}

const none: ReadonlyMap<string, Excerpt> = new Map()

const found = (id: string, excerpt: Excerpt | undefined): [string, Excerpt][] => (excerpt ? [[id, excerpt]] : [])

function excerptOf(content: Readonly<Record<string, unknown>>, term: string): Excerpt | undefined {
  const words = term.split(/\s+/).map(word => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const texts = Object.entries(content).filter(([name]) => name !== 'title' && name !== 'uuid')
  const text = texts.map(([, value]) => textIn(value)).join(' ').replaceAll(/\s+/g, ' ') // prettier-ignore
  const match = new RegExp(words.join('|'), 'iu').exec(text)
  if (!match) return undefined
  const [start, end] = [match.index, match.index + match[0].length]
  const from = Math.max(0, start - around)
  return {
    before: (from > 0 ? '…' : '') + text.slice(from, start),
    match: match[0],
    after: text.slice(end, end + around) + (end + around < text.length ? '…' : ''),
  }
}

/** What a reader sees of a value: without ids and settings. */
function textIn(value: unknown): string {
  if (typeof value === 'boolean') return ''
  // A reference, such as an image, is shown by its name.
  const isPlain = typeof value !== 'object' || value === null || 'uuid' in value
  return isPlain ? readable(value) : valuesWithText(value).map(textIn).join(' ')
}
