import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { startPostgres } from '../tools/postgres.ts'
import { addAdmin, compareGrowth, open, type Opened } from './growth.ts'
import { compare, logProgress, throughput } from './load.ts'
import { createSite, type Program, type Site, startBare, takeSample } from './programs.ts'
import { createDatabase, copyStore, rowsOfPage } from './queries.ts'
import { atLeast, type Figure } from './results.ts'
import { seed, writeBlueprints } from './seed.ts'
import { codeOf } from './seed/pages.ts'

const smallCount = 1002 // one topic, one section, a thousand pages in it
const seconds = 1

export interface Sizes {
  quick: boolean
  /** Also measures PostgreSQL with a million pages. */
  full: boolean
}

/** Reading, listing, searching and creating pages; and whether a million pages are as fast as a thousand. */
export async function content({ quick, full }: Sizes): Promise<Figure[]> {
  const sizes = quick ? [20_000] : [100_000, 1_000_000]
  const rounds = quick ? 5 : 15
  const figures: Figure[] = []
  const small = createSite()
  try {
    const little = await filled(small, smallCount)
    try {
      figures.push(await reading(little, rounds), await listing(little, rounds), await searching(little, rounds))
      for (const size of sizes) figures.push(...(await growing('SQLite', little, createSite(), size)))
      figures.push(await creating(small, little, rounds)) // last, because it adds pages
    } finally {
      await little.program.stop()
    }
  } finally {
    small.remove()
  }
  return [...figures, ...(await onPostgres(full ? sizes : sizes.slice(0, 1)))]
}

async function onPostgres(sizes: number[]): Promise<Figure[]> {
  const postgres = await startPostgres()
  const small = createSite(await createDatabase(postgres.url, 'few'))
  const figures: Figure[] = []
  try {
    const little = await filled(small, smallCount)
    try {
      for (const size of sizes) {
        const url = await createDatabase(postgres.url, `many${size}`)
        figures.push(...(await growing('PostgreSQL', little, createSite(url), size)))
      }
    } finally {
      await little.program.stop()
    }
    return figures
  } finally {
    await postgres.stop()
    small.remove()
  }
}

async function filled(site: Site, pages: number): Promise<Opened> {
  logProgress(`a site with ${pages} pages`)
  writeBlueprints(site.folder)
  addAdmin(site)
  const databaseUrl = site.environment['QUOIN_DATABASE_URL']
  await seed({ pages, ...(databaseUrl === undefined ? { data: join(site.folder, 'data') } : { databaseUrl }) })
  return open(site)
}

// ---- compared with a bare Fastify

const section = '/api/pages/topic-1+section-1'
const leaf = (number: number) => {
  const index = (number * 7919) % 800
  return `${section}+${['article', 'note', 'event'][index % 3]!}-${index + 1}`
}
const part = (number: number) => `${section}/children?limit=20&page=${(number % 40) + 1}`
const find = (words: string) => `/api/site/search?limit=20&q=${encodeURIComponent(words)}`
const common = ['lighthouse', 'mühle', 'harb', 'observatory library', 'print']
/** Searches for words that many pages contain. */
const commonSearch = (number: number) => find(common[number % common.length]!)
/** Searches for a word that one page contains. */
const rareSearch = (number: number) => find(codeOf((number * 7919) % 1000))

interface Compared {
  what: string
  route: string
  path: (number: number) => string
  target: number
}

const reading = (site: Opened, rounds: number) =>
  againstBare(site, rounds, { what: 'read one page', route: '/api/pages/:id', path: leaf, target: 0.55 })
const listing = (site: Opened, rounds: number) =>
  againstBare(site, rounds, {
    what: 'list 20 of 1000 children',
    route: '/api/pages/:id/children',
    path: part,
    target: 0.4,
  })
const searching = (site: Opened, rounds: number) =>
  againstBare(site, rounds, { what: 'search 1000 pages', route: '/api/site/search', path: commonSearch, target: 0.25 })

async function againstBare(
  { program: quoin, cookie }: Opened,
  rounds: number,
  { what, route, path, target }: Compared,
): Promise<Figure> {
  logProgress(what)
  const headers = { cookie }
  const paths = Array.from({ length: 1600 }, (_, number) => path(number))
  const sample = await takeSample(quoin.url + paths[0]!, headers)
  if (sample.status !== 200) throw new Error(`${paths[0]!} was answered with ${sample.status}: ${sample.body}`)
  const bare = await startBare(sample, route)
  try {
    const load = (program: Program) => () => throughput(program.url, headers, seconds, paths)
    await load(bare)()
    await load(quoin)()
    const { ratio, value, baseline } = await compare(rounds, load(quoin), load(bare))
    const detail = `${Math.round(value)} of ${Math.round(baseline)} requests/s, ${sample.body.length} bytes of body`
    return atLeast(`${what}, SQLite`, ratio, target, detail)
  } finally {
    await bare.stop()
  }
}

// ---- creating

/** Compared with inserting the same rows only, one transaction each. */
async function creating(site: Site, quoin: Opened, rounds: number): Promise<Figure> {
  logProgress('making pages')
  await make(quoin, 0.5)
  const data = join(site.folder, 'data/quoin.db')
  const rows = JSON.stringify(rowsOfPage(data))
  const copy = copyStore(data)
  const { ratio, value, baseline } = await compare(
    rounds,
    () => make(quoin, seconds),
    async () => bareInserts(copy, rows),
  )
  const detail = `${Math.round(value)} of ${Math.round(baseline)} pages/s; the baseline is node:sqlite with the same rows, synchronous=FULL`
  return atLeast('make a page, SQLite', ratio, 0.5, detail)
}

function bareInserts(path: string, rows: string): number {
  const program = join(import.meta.dirname, 'insert.ts')
  const answer = execFileSync(process.execPath, [program, path, rows, String(seconds)], { encoding: 'utf8' })
  return (JSON.parse(answer) as { perSecond: number }).perSecond
}

let createdCount = 0
const text = 'The lighthouse in the old harbour was built before anybody had measured the tides. '.repeat(12)

async function make({ program, cookie, csrf }: Opened, time: number): Promise<number> {
  const result = await autocannon({
    url: program.url,
    connections: 16,
    duration: time,
    requests: [
      {
        method: 'POST',
        path: `${section}/children`,
        headers: { cookie, 'content-type': 'application/json', 'x-csrf': csrf },
        setupRequest: request => {
          const slug = `made-${++createdCount}`
          const sent = { slug, title: slug, template: 'article', content: { text, teaser: 'Short' } }
          return { ...request, body: JSON.stringify(sent) }
        },
      },
    ],
  })
  if (result.errors > 0 || result.non2xx > 0) throw new Error(`${result.errors + result.non2xx} pages were not made`)
  return result['2xx'] / result.duration
}

// ---- growth

async function growing(engine: string, little: Opened, site: Site, size: number): Promise<Figure[]> {
  try {
    const big = await filled(site, size)
    try {
      const ratio = (what: string, path: (number: number) => string) =>
        compareGrowth(little, big, path, { what: `${what}, ${size} pages, ${engine}`, smallCount: 1000 })
      return [
        await ratio('read one page', leaf),
        await ratio('list 20 of 1000 children', part),
        await ratio('search a word that one page has', rareSearch),
        await ratio('search a word that most pages have', commonSearch),
      ]
    } finally {
      await big.program.stop()
    }
  } finally {
    site.remove()
  }
}
