import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../tools/postgres.ts'
import { createDatabase, fill } from './queries.ts'
import { atMost, type Figure } from './results.ts'
import { compare, median } from './load.ts'
import { addUser, createSite, type Program, type Site, startQuoin } from './programs.ts'

const password = 'seven quiet herons over water'
const admin = 'admin@example.org'
const few = 1000
const many = 100_000

/** Whether a site with a hundred thousand accounts answers as quickly as one with a thousand. */
export async function users({ quick }: { quick: boolean }): Promise<Figure[]> {
  const most = quick ? 20_000 : many
  const figures = await compareSites('SQLite', most, createSite(), createSite())
  const postgres = await startPostgres()
  const databases = await Promise.all(['few', 'many'].map(name => createDatabase(postgres.url, name)))
  try {
    const [small, large] = databases.map(url => createSite(url)) as [Site, Site]
    return [...figures, ...(await compareSites('PostgreSQL', most, small, large))]
  } finally {
    await postgres.stop()
  }
}

async function compareSites(engine: string, most: number, small: Site, large: Site): Promise<Figure[]> {
  const programs: Program[] = []
  try {
    const [little, big] = [await opened(small, few), await opened(large, most)]
    programs.push(little.program, big.program)
    return [
      await ratio(`list 100 of ${most} accounts, ${engine}`, little, big, '/api/users?limit=100'),
      await ratio(`find one by e-mail, ${engine}`, little, big, '/api/users/person777@example.org'),
      // Every account is looked at: it takes as many times longer as there are more of them, and should not take more.
      await ratio(`search a word that one account has, ${engine}`, little, big, '/api/users/search?q=person777@', {
        wanted: 100,
        rounds: 3,
        times: 3,
      }),
    ]
  } finally {
    for (const program of programs) await program.stop()
    for (const site of [small, large]) site.remove()
  }
}

interface Opened {
  program: Program
  cookie: string
}

async function opened(site: Site, count: number): Promise<Opened> {
  process.stderr.write(`measuring: a site with ${count} accounts\n`)
  mkdirSync(join(site.folder, 'blueprints/users'), { recursive: true })
  writeFileSync(join(site.folder, 'blueprints/users/editor.yml'), 'title: Editor\n')
  addUser(site, admin, password)
  await fill(site, count)
  const program = await startQuoin(site)
  const response = await fetch(`${program.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: admin, password }),
  })
  const cookie = response.headers.getSetCookie().map(line => line.split(';')[0]!)
  return { program, cookie: cookie.join('; ') }
}

/** One client after the other: how long a request takes, not how many the machine bears. */
async function ratio(
  what: string,
  little: Opened,
  big: Opened,
  path: string,
  { wanted, rounds, times: often } = { wanted: 1.5, rounds: 10, times: 30 },
): Promise<Figure> {
  const time =
    ({ program, cookie }: Opened) =>
    async () => {
      const times: number[] = []
      for (let count = 0; count < often; count++) {
        const start = performance.now()
        const response = await fetch(program.url + path, { headers: { cookie, 'x-round': String(Math.random()) } })
        await response.arrayBuffer()
        if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`)
        times.push(performance.now() - start)
      }
      return median(times)
    }
  await time(little)()
  await time(big)()
  const { ratio: measured, value, yardstick } = await compare(rounds, time(big), time(little))
  return atMost(what, measured, wanted, ' ×', `${value.toFixed(2)} ms against ${yardstick.toFixed(2)} ms with ${few}`)
}
