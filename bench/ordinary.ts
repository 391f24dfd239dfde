import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../tools/postgres.ts'
import { addAdmin, open, type Opened } from './growth.ts'
import { compare, perCpuSecond, type Variation, variations, warmUp } from './load.ts'
import { createSite, type Program, residentMemory, type Site, startBare, takeSample } from './programs.ts'
import { atLeast, atMost, type Figure } from './results.ts'
import { createDatabase } from './queries.ts'
import { seed, writeBlueprints } from './seed.ts'

interface Request {
  what: string
  /** The pattern of the route, for the baseline. */
  route: string
  path: string
  /** The minimum ratio to the baseline, for all variations or for each. */
  target: number | Record<Variation, number>
}

const section = '/api/pages/topic-1+section-1'
const seeded: Request[] = [
  { what: 'GET /api/auth', route: '/api/auth', path: '/api/auth', target: 0.45 },
  { what: 'a plain page', route: '/api/pages/:id', path: `${section}+article-1`, target: 0.3 },
  { what: '20 of 1000 children', route: '/api/pages/:id/children', path: `${section}/children?limit=20`, target: 0.18 },
  { what: 'search, 20 results', route: '/api/site/search', path: '/api/site/search?limit=20&q=lighthouse', target: 0.15 },
] // prettier-ignore
const onPostgres: Request[] = [
  { ...seeded[0]!, target: { none: 0.45, header: 0.25, query: 0.25 } },
  { ...seeded[1]!, target: 0.18 },
  { ...seeded[2]!, target: 0.12 },
].map(request => ({ ...request, what: `${request.what}, PostgreSQL` }))
const ofStarter: Request = {
  what: 'a page with blocks, pictures and references',
  route: '/api/pages/:id',
  path: '/api/pages/notes+what-a-quoin-is',
  target: 0.2,
}

/** The response cache answers the first two variations; the third is a miss. */
const names: Record<Variation, string> = {
  none: 'repeated',
  header: 'ever new headers',
  query: 'ever new URLs (not cached)',
}

/**
 * Reads of a signed-in client, in requests per CPU-second of the server, compared with a bare Fastify that sends the same
 * bytes. Rounds alternate between both, so that the load of the machine affects both alike.
 */
export async function ordinary({ quick }: { quick: boolean }): Promise<Figure[]> {
  const rounds = quick ? 3 : 9
  const figures = [
    ...(await onSite(createSite(), fillSeeded, seeded, rounds)),
    ...(await onSite(createSite(), fillStarter, [ofStarter], rounds)),
  ]
  const postgres = await startPostgres()
  try {
    const site = createSite(await createDatabase(postgres.socket, 'ordinary'))
    return [...figures, ...(await onSite(site, fillSeeded, onPostgres, rounds))]
  } finally {
    await postgres.stop()
  }
}

/** 1,002 pages, a thousand of them below one, and an administrator. */
export async function fillSeeded(site: Site): Promise<void> {
  writeBlueprints(site.folder)
  addAdmin(site)
  const databaseUrl = site.environment['QUOIN_DATABASE_URL']
  await seed({ pages: 1002, ...(databaseUrl === undefined ? { data: join(site.folder, 'data') } : { databaseUrl }) })
}

/** The server imports the content on its first start. */
async function fillStarter(site: Site): Promise<void> {
  for (const name of ['blueprints', 'content'])
    cpSync(join(import.meta.dirname, '../starter', name), join(site.folder, name), { recursive: true })
  addAdmin(site)
}

async function onSite(
  site: Site,
  fill: (site: Site) => Promise<void>,
  requests: Request[],
  rounds: number,
): Promise<Figure[]> {
  try {
    await fill(site)
    const opened = await open(site)
    try {
      const figures: Figure[] = []
      for (const request of requests)
        for (const variation of variations) figures.push(await againstBare(opened, request, variation, rounds))
      await new Promise(resolve => setTimeout(resolve, 3000))
      const memory = residentMemory(opened.program)
      figures.push(atMost(`memory after ${requests.at(-1)!.what}`, memory, 160, ' MB', 'three seconds after the load'))
      return figures
    } finally {
      await opened.program.stop()
    }
  } finally {
    site.remove()
  }
}

async function againstBare(
  { program: quoin, cookie }: Opened,
  { what, route, path, target }: Request,
  variation: Variation,
  rounds: number,
): Promise<Figure> {
  process.stderr.write(`measuring: ${what}, ${names[variation]}\n`)
  const headers = { cookie }
  const sample = await takeSample(quoin.url + path, headers)
  if (sample.status !== 200) throw new Error(`${path} was answered with ${sample.status}: ${sample.body}`)
  const bare = await startBare(sample, route)
  try {
    const load = (program: Program) => () => perCpuSecond(program, { path, headers, variation })
    for (const program of [bare, quoin]) await warmUp(program, { path, headers, variation })
    const { ratio, value, baseline } = await compare(rounds, load(quoin), load(bare))
    const detail = `${Math.round(value)} of ${Math.round(baseline)} requests per CPU-second, ${sample.body.length} bytes of body`
    const bar = typeof target === 'number' ? target : target[variation]
    return atLeast(`${what}, ${names[variation]}`, ratio, bar, detail)
  } finally {
    await bare.stop()
  }
}
