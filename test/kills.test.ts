/** Kills the server while pages, files and languages are written. `QUOIN_TEST_KILLS` is the number of kills. */
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import { isServerLockHeld } from '../src/platform/store/server-lock.ts'
import { addUser, createTestApp, engine, type TestApp, writeBlueprints } from './harness.ts'
import { addPage } from './pages.ts'
import { openStream } from './event-stream.ts'
import { createSite, quoin, type Server, serve, type Site } from './program.ts'
import { isSlow, rounds } from './slow.ts'
import { addToken } from './tokens.ts'

const kills = Number(process.env['QUOIN_TEST_KILLS'] ?? rounds(1, 3))
/** All pages are read after each kill, so a site does not grow without end. */
const killsPerSite = 25
const workers = 6

/** The possible states of a model: one if its last write was answered, several if the answer is unknown. */
type Possible<State> = readonly State[]
interface Page {
  /** Their bytes, by name. */
  files: Map<string, Possible<string | undefined>>
}

const note = 'title: Note\nfields:\n  text:\n    type: textarea\n'

async function prepare(fill = async (_app: TestApp) => {}): Promise<{ site: Site; token: string }> {
  const site = await createSite({ QUOIN_LOG_LEVEL: 'error', QUOIN_DATABASE_TIMEOUT: '20' })
  writeBlueprints(site.folder, { 'pages/note.yml': note })
  const app = await createTestApp({ storage: site.storage, expensive: true })
  const { id: owner } = await addUser(app)
  const { token } = await addToken(app.app, { name: 'test', scopes: ['*'], userId: owner })
  await fill(app)
  await app.close()
  return { site, token }
}

class Died extends Error {}

function caller({ port }: Server, token: string) {
  return async (method: string, path: string, body?: object): Promise<{ status: number; json: unknown }> => {
    const form = body instanceof FormData ? body : undefined
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && !form && { 'content-type': 'application/json' }) },
        ...(body && { body: form ?? JSON.stringify(body) }),
      })
      return { status: answer.status, json: await answer.json() }
    } catch {
      throw new Died()
    }
  }
}

type Call = ReturnType<typeof caller>

function file(name: string, text: string): FormData {
  const form = new FormData()
  form.set('file', new Blob([text], { type: 'text/plain' }), name)
  return form
}

/** Until it is answered, a write may be stored or not. */
async function write<Key, State>(
  states: Map<Key, Possible<State>>,
  key: Key,
  next: State,
  work: () => Promise<{ status: number; json: unknown }>,
): Promise<void> {
  const before = states.get(key)!
  states.set(key, [...before, next])
  const { status, json } = await work()
  expect(status, `with ${JSON.stringify(json)}`).toBe(200)
  states.set(key, [next])
}

test(
  'every acknowledged write is there, and nothing is half-written',
  { timeout: 300_000 + kills * 60_000 },
  async () => {
    for (let left = kills; left > 0; left -= killsPerSite) await killRepeatedly(Math.min(left, killsPerSite))
  },
)

async function killRepeatedly(times: number): Promise<void> {
  const { site, token } = await prepare()
  const pages = new Map<string, Page>()
  const texts = new Map<string, Possible<string | undefined>>()
  const languages = new Map<string, Possible<boolean>>()
  const done = { pages: 0, files: 0, languages: 0 }
  const answered = () => done.pages + done.files + done.languages

  async function work(call: Call, worker: number, isOver: () => boolean): Promise<void> {
    for (let round = 0; !isOver(); round++) {
      const own = [...pages.keys()].filter(slug => slug.startsWith(`w${worker}-`) && texts.get(slug)!.length === 1)
      const slug = own[randomInt(own.length + 1)]
      const text = randomBytes(randomInt(10, 2000)).toString('hex')
      const kind = randomInt(10)
      if (slug === undefined || texts.get(slug)![0] === undefined) {
        const fresh = `w${worker}-${randomBytes(5).toString('hex')}`
        pages.set(fresh, { files: new Map() })
        texts.set(fresh, [undefined])
        const body = { slug: fresh, template: 'note', content: { title: fresh, text }, draft: round % 2 === 0 }
        await write(texts, fresh, text, () => call('POST', '/site/children', body))
        done.pages++
      } else if (kind < 4) {
        await write(texts, slug, text, () => call('PATCH', `/pages/${slug}`, { text }))
        done.pages++
      } else if (kind < 7) {
        const { files } = pages.get(slug)!
        const name = `f${randomBytes(4).toString('hex')}.md`
        files.set(name, [undefined])
        await write(files, name, text, () => call('POST', `/pages/${slug}/files`, file(name, text)))
        done.files++
      } else if (kind === 7) {
        const { files } = pages.get(slug)!
        const name = [...files.keys()].find(one => files.get(one)!.length === 1 && files.get(one)![0] !== undefined)
        if (name === undefined) continue
        await write(files, name, undefined, () => call('DELETE', `/pages/${slug}/files/${name}`))
        done.files++
      } else if (kind === 8) {
        const [before] = texts.get(slug)!
        await write(texts, slug, undefined, () => call('DELETE', `/pages/${slug}`, { force: true }))
        if (randomInt(2) === 0) {
          const { json } = await call('GET', '/site/trash?kind=page&limit=1000')
          const entry = (json as { data: { id: string; path: string }[] }).data.find(({ path }) => path === slug)!
          await write(texts, slug, before, () => call('POST', `/site/trash/${entry.id}/restore`))
        } else pages.get(slug)!.files.clear()
      } else if (worker === 0) {
        // The default language stays; another one is created and deleted with its content.
        const code = languages.get('en')?.[0] === true ? 'de' : 'en'
        const [isThere = false] = languages.get(code) ?? []
        if ((languages.get(code) ?? []).length > 1) continue
        languages.set(code, [isThere])
        await write(languages, code, !isThere, () =>
          isThere
            ? call('DELETE', `/languages/${code}`)
            : call('POST', '/languages', { code, name: code, default: code === 'en' }),
        )
        done.languages++
      }
    }
  }

  /** Reads the unknown states now; known states must be as expected. */
  async function verify(call: Call): Promise<void> {
    const { json } = await call('GET', '/languages')
    const codes = new Set((json as { data: { code: string }[] }).data.map(({ code }) => code))
    for (const [code, possible] of languages) {
      expect(possible).toContain(codes.has(code))
      languages.set(code, [codes.has(code)])
    }
    for (const [slug, { files }] of pages) {
      const answer = await call('GET', `/pages/${slug}?select=content,files`)
      const data = (answer.json as { data?: { content: { text: string } } }).data
      expect(texts.get(slug), `of ${slug}`).toContain(data?.content.text)
      texts.set(slug, [data?.content.text])
      if (!data) {
        pages.delete(slug)
        texts.delete(slug)
        continue
      }
      const listed = (await call('GET', `/pages/${slug}/files?limit=1000`)).json as {
        data: { filename: string; size: number }[]
      }
      const sizes = new Map(listed.data.map(({ filename, size }) => [filename, size]))
      for (const [name, possible] of files) {
        const size = sizes.get(name)
        expect(
          possible.map(text => text?.length),
          `${slug}/${name}`,
        ).toContain(size)
        files.set(name, [size === undefined ? undefined : possible.find(text => text?.length === size)])
      }
    }
  }

  for (let kill = 0; kill < times; kill++) {
    const server = await serve(site)
    const call = caller(server, token)
    await verify(call) // what was written before the last kill
    let isOver = false
    const problems: unknown[] = []
    const running = Array.from({ length: workers }, (_, worker) =>
      work(call, worker, () => isOver).catch((error: unknown) => {
        if (!(error instanceof Died)) problems.push(error)
      }),
    )
    const enough = answered() + 1 + randomInt(40)
    const isEnough = () => answered() >= enough && done.pages > kill + 1 && done.files > kill + 1
    while (!isEnough() && problems.length === 0) await sleep(randomInt(1, 5))
    await server.stop('SIGKILL')
    expect(isServerLockHeld(site.storage)).toBe(false)
    isOver = true
    await Promise.all(running)
    expect(problems).toEqual([])
    if (kill % 10 === 0 || kill === times - 1) {
      const checked = await quoin(['check', site.folder, '--data', '--json'], { environment: site.environment })
      expect(checked.code, `with ${checked.stdout}${checked.stderr}`).toBe(0)
    }
  }
  const server = await serve(site)
  await verify(caller(server, token))
  await server.stop('SIGKILL')
  expect(done.pages).toBeGreaterThan(times)
  expect(done.files).toBeGreaterThan(times)
}

/** Enough for a transaction of its own thread on SQLite. */
const branchSize = 220

test.runIf(isSlow)(
  'an interrupted operation on a subtree is complete or has no effect',
  { timeout: 300_000 },
  async () => {
    const { site, token } = await prepare(async app => {
      const top = await addPage(app, '', { slug: 'top', template: 'note', draft: false })
      const slugs = Array.from({ length: branchSize - 1 }, (_, number) => `p${number}`)
      await Promise.all(slugs.map(slug => addPage(app, top, { slug, template: 'note', draft: false })))
      await addPage(app, '', { slug: 'zone', draft: false })
    })
    const watcher = await createTestApp({ storage: site.storage, quiet: true })
    const { store } = watcher.app
    const read = async <Row>(query: string) => (await store.read(CompiledQuery.raw(query))) as Row[]

    /** Whether the operation is running. */
    async function isAtWork(): Promise<boolean> {
      if (engine === 'sqlite') return store.isWritingLong()
      const found =
        await read(`select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and xact_start is not null and query like '%search_rows%'`)
      return found.length > 0
    }

    /** How many pages, contents and words there are in each branch and in the trash. */
    async function count(): Promise<string> {
      const rows = await read<{ path: string; own: number; found: number }>(`select path,
      (select count(*) from contents where owner = 'page://' || uuid) as own,
      (select count(*) from search_rows where page = uuid) as found from pages`)
      const [trashed] = await read<{ count: number }>(`select count(*) as count from trash_rows where kind = 'pages'`)
      const branches = Map.groupBy(rows, ({ path }) => path.split('/')[0])
      const counts = [...branches].map(([name, branch]) => {
        const sum = (key: 'own' | 'found') => branch.reduce((total, row) => total + row[key], 0)
        return `${name} ${branch.length} ${sum('own')} ${sum('found')}`
      })
      return [...counts.toSorted(), `trash ${trashed!.count}`].join(', ')
    }

    const all = `${branchSize} ${branchSize} ${branchSize}`
    const operations = [
      ['POST', '/pages/top/duplicate', { slug: 'copy', children: true }, (before: string) => `copy ${all}, ${before}`],
      ['PATCH', '/pages/top/slug', { slug: 'next' }, (before: string) => before.replace('top', 'next')],
      [
        'PATCH',
        '/pages/top/move',
        { parent: 'zone' },
        (before: string) => before.replace(`top ${all}, zone 1 1 1`, `zone ${`${branchSize + 1} `.repeat(3).trim()}`),
      ],
      [
        'DELETE',
        '/pages/top',
        { force: true },
        (before: string) => before.replace(`top ${all}, `, '').replace('trash 0', `trash ${branchSize}`),
      ],
    ] as const
    let [found, cut] = [await count(), 0]
    expect(found).toBe(`top ${all}, zone 1 1 1, trash 0`)
    for (const [method, path, body, following] of operations) {
      if (!found.includes('top ')) break // it was renamed or moved in the last moment
      const [before, after] = [found, following(found)]
      const server = await serve(site)
      const state = { isOver: false }
      const answered = caller(server, token)(method, path, body)
        .then(({ status }) => status)
        .catch(() => undefined)
        .finally(() => (state.isOver = true))
      while (!state.isOver && !(await isAtWork())) await sleep(1)
      await sleep(randomInt(100))
      await server.stop('SIGKILL')
      while (await isAtWork()) await sleep(1) // PostgreSQL notices it a little later
      const status = await answered
      found = await count()
      expect(status === undefined ? [before, after] : [after], `${method} ${path}: ${status}`).toContain(found)
      if (status === undefined) cut++
    }
    expect(cut).toBeGreaterThan(0)
    await watcher.close()
    const checked = await quoin(['check', site.folder, '--data', '--json'], { environment: site.environment })
    expect(checked.code, `with ${checked.stdout}${checked.stderr}`).toBe(0)
  },
)

// In `npm test` the stream resumes in one process, and what another one does arrives: `groups/site/events/stream.test.ts`.
test.runIf(isSlow)('a stream that resumes at another server misses no event', { timeout: 120_000 }, async () => {
  const { site, token } = await prepare()
  const headers = { host: 'localhost', authorization: `Bearer ${token}` }
  const path = '/api/site/events?event=page.*'
  const seen = new Set<unknown>()
  let position: string | undefined
  const created: string[] = []
  for (let round = 0; round < 2; round++) {
    const server = await serve(site)
    const call = caller(server, token)
    const from = position === undefined ? {} : { 'last-event-id': position }
    const stream = await openStream(server.port, { ...headers, ...from }, path)
    const add = async () => {
      const slug = `p${created.length}`
      expect(await call('POST', '/site/children', { slug, template: 'note' })).toMatchObject({ status: 200 })
      created.push(slug)
    }
    await add()
    for (let count = 1; !seen.has(created.at(-1)); count++)
      for (const { data } of await stream.waitForEvents(count)) seen.add(data.detail['path'])
    position = stream.lastEventId
    if (round === 0) for (let more = 0; more < 3; more++) await add() // not waited for
    await server.stop('SIGKILL')
    await stream.ended
  }
  expect([...seen]).toEqual(created)
})
