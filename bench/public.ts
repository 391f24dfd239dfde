import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../tools/free-port.ts'
import { hasVarnish, purgeToken, startVarnish } from '../tools/varnish.ts'
import { startPostgres } from '../tools/postgres.ts'
import { addAdmin, open, type Opened } from './growth.ts'
import { compare, type Load, logProgress, median, rates, warmUp } from './load.ts'
import { createSite, type Program, type Sample, type Site, startBare, takeSample } from './programs.ts'
import { atLeast, atMost, type Figure } from './results.ts'

const path = '/api/pages/note'

/** Reads of anonymous clients, compared with a bare Fastify, and through Varnish. */
export async function publicReads({ quick }: { quick: boolean }): Promise<Figure[]> {
  const rounds = quick ? 3 : 7
  const figures = await measureOnEngine(rounds, 'SQLite', { repeated: 0.7, newHeaders: 0.5, notModified: 0.8 })
  const postgres = await startPostgres()
  try {
    figures.push(
      ...(await measureOnEngine(
        rounds,
        'PostgreSQL',
        { repeated: 0.35, newHeaders: 0.3, notModified: 0.35 },
        postgres.url,
      )),
    )
  } finally {
    await postgres.stop()
  }
  if (!hasVarnish()) logProgress('varnishd is not installed: nothing is measured with it')
  else figures.push(...(await measureThroughVarnish(quick ? 3 : 10)))
  return figures
}

/** Minimum ratios to the bare Fastify. */
interface Targets {
  repeated: number
  newHeaders: number
  notModified: number
}

async function measureOnEngine(
  rounds: number,
  engine: string,
  target: Targets,
  databaseUrl?: string,
): Promise<Figure[]> {
  const site = createSite(databaseUrl)
  try {
    const opened = await openSite(site)
    const { program } = opened
    try {
      const sample = await takeSample(program.url + path, {})
      const tag = sample.headers['etag']!
      return [
        ...(await againstBare(program, sample, rounds, `read one page, repeated, ${engine}`, target.repeated, {
          headers: {},
          variation: 'none',
        })),
        ...(await againstBare(
          program,
          sample,
          rounds,
          `read one page, ever new headers, ${engine}`,
          target.newHeaders,
          {
            headers: {},
            variation: 'header',
          },
        )),
        ...(await againstBare(
          program,
          { ...(await takeSample(program.url + path, { 'if-none-match': tag })), body: '' },
          rounds,
          `304, ${engine}`,
          target.notModified,
          { headers: { 'if-none-match': tag }, variation: 'none' },
        )),
      ]
    } finally {
      await program.stop()
    }
  } finally {
    site.remove()
  }
}

/** A site with one public page. */
async function openSite(site: Site, settings: Record<string, string> = {}): Promise<Opened> {
  mkdirSync(join(site.folder, 'blueprints/pages'), { recursive: true })
  writeFileSync(join(site.folder, 'blueprints/pages/note.yml'), 'fields: { text: { type: textarea } }\n')
  Object.assign(site.environment, {
    QUOIN_API_PUBLIC: 'true',
    QUOIN_API_ANONYMOUS_PER_MINUTE: '10000000',
    ...settings,
  })
  addAdmin(site)
  const opened = await open(site)
  await change(opened, 'POST', '/api/site/children', {
    slug: 'note',
    template: 'note',
    title: 'Note',
    content: { text: 'A quoin locks the type into the frame. '.repeat(50) },
  })
  await change(opened, 'PATCH', '/api/pages/note/status', { status: 'listed' })
  return opened
}

async function change({ program, cookie, csrf }: Opened, method: string, to: string, body: object): Promise<void> {
  const response = await fetch(program.url + to, {
    method,
    headers: { cookie, 'x-csrf': csrf, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`${method} ${to}: ${response.status} ${await response.text()}`)
}

async function againstBare(
  quoin: Program,
  sample: Sample,
  rounds: number,
  what: string,
  target: number,
  load: Omit<Load, 'path'>,
): Promise<Figure[]> {
  logProgress(what)
  const bare = await startBare(sample, path)
  try {
    const perCpuSeconds = { quoin: [] as number[], bare: [] as number[] }
    const measure = (program: Program, list: number[]) => async () => {
      const { perSecond, perCpuSecond } = await rates(program, { path, ...load })
      list.push(perCpuSecond)
      return perSecond
    }
    await warmUp(bare, { path, ...load })
    await warmUp(quoin, { path, ...load })
    const { ratio, value, baseline } = await compare(
      rounds,
      measure(quoin, perCpuSeconds.quoin),
      measure(bare, perCpuSeconds.bare),
    )
    const [cpu, bareCpu] = [median(perCpuSeconds.quoin), median(perCpuSeconds.bare)]
    const detail = `${Math.round(value)} of ${Math.round(baseline)} requests/s, ${sample.body.length} bytes of body; per second of CPU ${Math.round(cpu)} of ${Math.round(bareCpu)} (${(cpu / bareCpu).toFixed(2)})`
    return [atLeast(what, ratio, target, detail)]
  } finally {
    await bare.stop()
  }
}

// ---- Varnish

/** Publishes once a second while visitors read, and measures hits and how long old text is shown. */
async function measureThroughVarnish(publishes: number): Promise<Figure[]> {
  logProgress('Varnish')
  const port = await freePort()
  const site = createSite()
  try {
    const opened = await openSite(site, {
      QUOIN_DELIVERY_SHARED_MAX_AGE: '3600',
      QUOIN_DELIVERY_PURGE_KIND: 'varnish',
      QUOIN_DELIVERY_PURGE_URL: `http://127.0.0.1:${port}/`,
      QUOIN_DELIVERY_PURGE_TOKEN: purgeToken,
    })
    const varnish = await startVarnish(port, Number(new URL(opened.program.url).port))
    try {
      await waitUntilPurged(opened) // the purges of the new page had no receiver yet
      let hits = 0
      let misses = 0
      const delays: number[] = []
      const visitorState = { isReading: true }
      const readPage = async () => {
        const response = await fetch(varnish.url + path)
        if (!response.ok) throw new Error(`${path} through Varnish: ${response.status} ${await response.text()}`)
        if (response.headers.get('x-cache') === 'hit') hits++
        else misses++
        return response.text()
      }
      const visitors = Promise.all(
        Array.from({ length: 4 }, async () => {
          while (visitorState.isReading) await readPage()
        }),
      )
      visitors.catch(() => {}) // awaited below
      try {
        for (let round = 0; round < publishes; round++) {
          await change(opened, 'PATCH', path, { text: `edition ${round}.` })
          const start = performance.now()
          while (!(await readPage()).includes(`edition ${round}.`));
          delays.push(performance.now() - start)
          await new Promise(resolve => setTimeout(resolve, 1000))
        }
      } finally {
        visitorState.isReading = false
      }
      await visitors
      const share = hits / (hits + misses)
      const slowest = Math.max(...delays) / 1000
      return [
        atLeast('Varnish: share of hits, one publish a second', share, 0.99, `${hits} hits, ${misses} misses`),
        atMost(
          'Varnish: a publish is visible after',
          slowest,
          1,
          ' s',
          `the slowest of ${publishes}, median ${Math.round(median(delays))} ms`,
        ),
      ]
    } finally {
      await varnish.stop()
      await opened.program.stop()
    }
  } finally {
    site.remove()
  }
}

async function waitUntilPurged({ program, cookie }: Opened): Promise<void> {
  for (;;) {
    const response = await fetch(`${program.url}/api/system/purge`, { headers: { cookie } })
    const { data } = (await response.json()) as { data: { waiting: number } }
    if (data.waiting === 0) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
