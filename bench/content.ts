import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { startPostgres } from '../tools/postgres.ts'
import { addAdmin, compareGrowth, open, type Opened } from './growth.ts'
import { compare, throughput } from './load.ts'
import { createSite, type Program, type Site, startBare, takeSample } from './programs.ts'
import { createDatabase, copyStore, rowsOfPage } from './queries.ts'
import { atLeast, type Figure } from './results.ts'
import { seed, writeBlueprints } from './seed.ts'

const few = 1002 // one topic, one section, a thousand pages in it
const rounds = 15
const seconds = 1

export interface Sizes {
  quick: boolean
  /** PostgreSQL with a million pages, too. */
  full: boolean
}

/** Reading, listing, finding and making pages; and whether a million of them are as quick as a thousand. */
export async function content({ quick, full }: Sizes): Promise<Figure[]> {
  const sizes = quick ? [20_000] : [100_000, 1_000_000]
  const figures: Figure[] = []
  const small = createSite()
  try {
    const little = await filled(small, few)
    try {
      figures.push(await reading(little), await listing(little), await searching(little))
      for (const size of sizes) figures.push(...(await growing('SQLite', little, createSite(), size)))
      figures.push(await creating(small, little)) // last: it makes the site larger
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
    const little = await filled(small, few)
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
  say(`a site with ${pages} pages`)
  writeBlueprints(site.folder)
  addAdmin(site)
  const databaseUrl = site.environment['QUOIN_DATABASE_URL']
  await seed({ pages, ...(databaseUrl === undefined ? { data: join(site.folder, 'data') } : { databaseUrl }) })
  return open(site)
}

// ---- against a bare Fastify

const section = '/api/pages/topic-1+section-1'
const leaf = (number: number) => {
  const index = (number * 7919) % 800
  return `${section}+${['article', 'note', 'event'][index % 3]!}-${index + 1}`
}
const part = (number: number) => `${section}/children?limit=20&page=${(number % 40) + 1}`
const words = ['lighthouse', 'mühle', 'harbour 17', 'print', 'töpferei9', 'observatory library']
const question = (number: number) =>
  `/api/site/search?limit=20&q=${encodeURIComponent(words[number % words.length]!)}&page=${(number % 3) + 1}`

const reading = (site: Opened) => againstBare(site, 'read one page', '/api/pages/:id', leaf, 0.55)
const listing = (site: Opened) => againstBare(site, 'list 20 of 1000 children', '/api/pages/:id/children', part, 0.4)
const searching = (site: Opened) => againstBare(site, 'search 1000 pages', '/api/site/search', question, 0.25)

/** Ever other pages: what was answered before is of no use. */
async function againstBare(
  { program: quoin, cookie }: Opened,
  what: string,
  route: string,
  path: (number: number) => string,
  wanted: number,
): Promise<Figure> {
  say(what)
  const headers = { cookie }
  const paths = Array.from({ length: 600 }, (_, number) => path(number))
  const sample = await takeSample(quoin.url + paths[0]!, headers)
  if (sample.status !== 200) throw new Error(`${paths[0]!} was answered with ${sample.status}: ${sample.body}`)
  const bare = await startBare(sample, route)
  try {
    const load = (program: Program) => () => throughput(program.url, headers, seconds, paths)
    await load(bare)()
    await load(quoin)()
    const { ratio, value, yardstick } = await compare(rounds, load(quoin), load(bare))
    const detail = `${Math.round(value)} of ${Math.round(yardstick)} requests/s, ${sample.body.length} bytes of body`
    return atLeast(`${what}, SQLite`, ratio, wanted, detail)
  } finally {
    await bare.stop()
  }
}

// ---- making

/** Against nothing but the same rows, one transaction each. */
async function creating(site: Site, quoin: Opened): Promise<Figure> {
  say('making pages')
  await make(quoin, 0.5)
  const data = join(site.folder, 'data/quoin.db')
  const rows = JSON.stringify(rowsOfPage(data))
  const copy = copyStore(data)
  const { ratio, value, yardstick } = await compare(
    rounds,
    () => make(quoin, seconds),
    async () => bareInserts(copy, rows),
  )
  const detail = `${Math.round(value)} of ${Math.round(yardstick)} pages/s; the yardstick is node:sqlite with the same rows, synchronous=FULL`
  return atLeast('make a page, SQLite', ratio, 0.5, detail)
}

function bareInserts(path: string, rows: string): number {
  const program = join(import.meta.dirname, 'insert.ts')
  const answer = execFileSync(process.execPath, [program, path, rows, String(seconds)], { encoding: 'utf8' })
  return (JSON.parse(answer) as { perSecond: number }).perSecond
}

let made = 0
const text = 'The lighthouse in the old harbour was built before anybody had measured the tides. '.repeat(12)

async function make({ program, cookie }: Opened, time: number): Promise<number> {
  const result = await autocannon({
    url: program.url,
    connections: 16,
    duration: time,
    requests: [
      {
        method: 'POST',
        path: `${section}/children`,
        headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        setupRequest: request => {
          const slug = `made-${++made}`
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
        compareGrowth(little, big, path, { what: `${what}, ${size} pages, ${engine}`, few: 1000 })
      return [
        await ratio('read one page', leaf),
        await ratio('list 20 of 1000 children', part),
        await ratio('search', question),
      ]
    } finally {
      await big.program.stop()
    }
  } finally {
    site.remove()
  }
}

const say = (what: string) => process.stderr.write(`measuring: ${what}\n`)
