import { join } from 'node:path'
import { insertEvent } from '../src/access/audit/queries.ts'
import { openApp } from '../src/app.ts'
import { loadConfig } from '../src/platform/config.ts'
import { now, preparedIn, type Tx } from '../src/platform/store/store.ts'
import { createServer } from '../src/server.ts'
import { addAdmin, signIn } from './growth.ts'
import { median } from './load.ts'
import { createSite } from './programs.ts'
import { atLeast, type Figure } from './results.ts'
import { seed, writeBlueprints } from './seed.ts'

const article = '/api/pages/topic-1+section-1+article-1'

const event = {
  event: 'page.changed', actor_id: null, subject_id: 'page://x', session_id: null, ip_prefix: null, ua_family: null, request_id: null,
  detail: '{}', template: 'article', page: 'x',
} as const // prettier-ignore

/** The insert of an event as it would be without subscriptions: what webhooks and purges cost is the difference. */
const insertAlone = preparedIn<typeof event>()(Object.keys(event) as (keyof typeof event)[], (db, row) =>
  db
    .insertInto('audit_events')
    .values({ ...row, time: now, count: 1, gathered: null, parent_kind: null, parent_template: null })
    .returning(['id', 'time']),
)

/** CPU time of the process, in µs. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * What a change costs on a site without subscriptions, in CPU time: the insert of its event also selects the active
 * subscriptions. Both inserts are measured by turns, and compared with a whole change of a page.
 */
export async function events({ quick }: { quick: boolean }): Promise<Figure[]> {
  const site = createSite()
  try {
    writeBlueprints(site.folder)
    addAdmin(site)
    await seed({ pages: 102, data: join(site.folder, 'data') })
    const app = await openApp(await loadConfig({ site: site.folder, environment: {} }))
    const server = createServer(app)
    const url = await server.listen({ port: 0, host: '127.0.0.1' })
    const { cookie, csrf } = await signIn(url)
    await server.close()
    const injected = createServer(app)
    const rounds = quick ? 20 : 60
    const each = 200

    const change = async (number: number) => {
      const headers = { host: new URL(app.config.url).host, cookie, 'x-csrf': csrf, 'content-type': 'application/json' }
      const payload = JSON.stringify({ teaser: `Number ${number}` })
      const { statusCode } = await injected.inject({ method: 'PATCH', url: article, headers, payload })
      if (statusCode !== 200) throw new Error(`a change was answered with ${statusCode}`)
    }
    const insert = (one: (tx: Tx, row: typeof event) => unknown) =>
      cpuOf(() =>
        app.store.write(async tx => {
          for (let count = 0; count < each; count++) await one(tx, event)
        }),
      )

    const [changes, differences]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      changes.push((await cpuOf(async () => {
        for (let count = 0; count < 20; count++) await change(round * 20 + count)
      })) / 20) // prettier-ignore
      // The order changes, so that neither profits from the other.
      const first = await insert(round % 2 === 0 ? insertAlone : insertEvent)
      const second = await insert(round % 2 === 0 ? insertEvent : insertAlone)
      differences.push((round % 2 === 0 ? second - first : first - second) / each)
    }
    const [whole, difference] = [median(changes), median(differences)]
    await injected.close()
    await app.close()
    const detail = `a change takes ${whole.toFixed(0)} µs of CPU, the question for subscriptions ${difference.toFixed(1)} µs`
    return [
      atLeast(
        'Changes without a subscription, to those that would not ask',
        (whole - difference) / whole,
        0.97,
        detail,
      ),
    ]
  } finally {
    site.remove()
  }
}
