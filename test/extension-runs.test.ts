/** Handlers and jobs of extensions in servers of their own, which are killed. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addUser, createTestApp, writeBlueprints } from './harness.ts'
import { createSite, type Server, serve, type Site, spawnQuoin } from './program.ts'
import { isSlow } from './slow.ts'
import { addToken } from './tokens.ts'
import { until } from './until.ts'

/** An extension that reports its runs in `reports.txt`. If there is a file `kill-once`, the next handler removes it and kills its server. */
const shopIn = (data: string) => `
import { appendFileSync, existsSync, rmSync } from 'node:fs'
import { defineExtension, job, on } from 'quoin'

const report = (...parts: unknown[]) => appendFileSync(${JSON.stringify(join(data, 'reports.txt'))}, parts.join(' ') + '\\n')
const killOnce = ${JSON.stringify(join(data, 'kill-once'))}

export const shop = defineExtension({
  name: 'shop',
  on: [
    on('page.changed', async ({ cms, event }) => {
      if (existsSync(killOnce)) {
        rmSync(killOnce)
        process.kill(process.pid, 'SIGKILL')
      }
      const page = await cms.pages.get({ id: event.page, select: ['content', 'revision'] })
      report(event.id, event.data.path, event.data.revision, page.content.text, process.pid)
    }),
    on('page.created', async ({ event }) => {
      if (event.data.path === 'throws') setTimeout(() => { throw new Error('an uncaught error') })
      void Promise.reject(new Error('an unhandled rejection'))
    }),
  ],
  jobs: [
    job('count', { run: async ({ cms }) => report('count', (await cms.site.children.list({ status: 'all' })).data.length) }),
    job('fails', { run: async () => { throw new Error('no paper') } }),
  ],
})
`

const config = `
import { defineConfig } from 'quoin'
import { shop } from './extensions/shop.ts'

export default defineConfig({ extensions: [shop] })
`

async function prepare() {
  const site = await createSite({ QUOIN_LOG_LEVEL: 'error' })
  writeBlueprints(site.folder, { 'pages/note.yml': 'fields: { text: { type: text } }' })
  mkdirSync(join(site.folder, 'extensions'))
  writeFileSync(join(site.folder, 'quoin.config.ts'), config)
  writeFileSync(join(site.folder, 'extensions/shop.ts'), shopIn(site.storage.data))
  const direct = await createTestApp({ storage: site.storage, expensive: true })
  const { id: owner } = await addUser(direct)
  const { token } = await addToken(direct.app, { name: 'test', scopes: ['*'], userId: owner })
  const call = async ({ port }: Server, method: string, path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.status, `with ${await answer.text()}`).toBe(200)
  }
  /** Ends the leases of killed servers at once, instead of after their time. */
  const expireLeases = async () => {
    const { db } = direct.app.store
    await db.updateTable('jobs').set({ due_at: 0 }).where('finished_at', 'is', null).execute()
    await db.updateTable('job_lanes').set({ busy_until: 0 }).execute()
  }
  return { site, direct, call, expireLeases }
}

/** The words of each line of `reports.txt`. */
function reportsOf({ storage }: Site): string[][] {
  const file = join(storage.data, 'reports.txt')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  return lines.map(line => line.split(' '))
}

// Slow only: in `npm test`, `test/kills.test.ts` kills servers.
test.runIf(isSlow)(
  'a handler whose server is killed runs again on the next server, with the same id of the event',
  async () => {
    const { site, direct, call, expireLeases } = await prepare()
    const first = await serve(site)
    await call(first, 'POST', 'site/children', { slug: 'a', template: 'note', content: { text: '0' } })
    await until(() =>
      expect(first.output(), 'its rejected promise does not end the server').toContain('an unhandled rejection'),
    )
    expect(first.output()).toContain('the extension \\"shop\\" has left a rejected promise unhandled')
    appendFileSync(join(site.storage.data, 'kill-once'), '')
    await call(first, 'PATCH', 'pages/a', { text: '1' })
    await until(() => expect(first.child.signalCode).toBe('SIGKILL'))
    expect(reportsOf(site)).toEqual([])
    const [waiting] = await direct.app.store.db.selectFrom('jobs').select(['id', 'attempts']).execute()
    expect(waiting).toMatchObject({ attempts: 1 })
    await expireLeases()
    const second = await serve(site)
    await until(() => expect(reportsOf(site)).toHaveLength(1))
    expect(reportsOf(site)[0]).toEqual([waiting!.id, 'a', expect.any(String), '1', String(second.child.pid)])

    await call(second, 'POST', 'site/children', { slug: 'throws', template: 'note' })
    await until(() => expect(second.child.exitCode, 'an exception ends the server').not.toBeNull())
    expect(second.output()).toContain('the extension \\"shop\\" has thrown an error that nothing catches')
  },
)

// Slow only: in `npm test`, two apps of one process share a store (`groups/system/extensions/on.test.ts`).
test.runIf(isSlow)('two servers handle the events of a page in order, each once', { timeout: 300_000 }, async () => {
  const { site, call } = await prepare()
  const count = 100
  const servers = [await serve(site), await serve(site)] as const
  const slugs = ['a', 'b', 'c']
  for (const slug of slugs) await call(servers[0], 'POST', 'site/children', { slug, template: 'note' })
  for (let round = 0; round < count; round++)
    await Promise.all(
      slugs.map((slug, at) => call(servers[(round + at) % 2]!, 'PATCH', `pages/${slug}`, { text: String(round) })),
    )
  await until(() => expect(reportsOf(site)).toHaveLength(count * slugs.length))
  for (const slug of slugs) {
    const revisions = reportsOf(site).filter(([, path]) => path === slug).map(([, , revision]) => Number(revision)) // prettier-ignore
    expect(revisions).toEqual(revisions.toSorted((one, other) => one - other))
    expect(new Set(revisions).size).toBe(count)
  }
  for (const server of servers) await server.stop('SIGKILL')
})

test('the command that runs a job waits for its end', async () => {
  const { site } = await prepare()
  const run = (...args: string[]) => spawnQuoin(['extension', ...args, '--site', site.folder], site)
  const done = await run('run', 'shop', 'count')
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('shop: job count is done.\n') as string })
  expect(reportsOf(site)).toEqual([['count', '0']])
})

test.runIf(isSlow)('the command that runs a job exits with 1 if the job fails', async () => {
  const { site } = await prepare()
  const run = (...args: string[]) => spawnQuoin(['extension', ...args, '--site', site.folder], site)
  const failed = await run('run', 'shop', 'fails', '--json')
  expect(failed.code).toBe(1)
  expect(failed.stdout).toContain('{"status":"error","problem":"Error: no paper"}')
})

test.runIf(isSlow)('unknown jobs and extensions are refused; jobs are listed', async () => {
  const { site } = await prepare()
  const run = (...args: string[]) => spawnQuoin(['extension', ...args, '--site', site.folder], site)
  expect(await run('run', 'shop', 'nothing')).toMatchObject({
    code: 1,
    stderr: 'quoin: The extension “shop” has no job “nothing”.\n',
  })
  expect(await run('run', 'market', 'count')).toMatchObject({
    code: 1,
    stderr: 'quoin: There is no extension “market”.\n',
  })
  expect((await run('run', 'shop')).code).toBe(2)
  const listed = await run('list')
  expect(listed.stdout).toBe(
    'shop  0 waiting, 0 failed\n  on page.changed\n  on page.created\n  job count  by hand\n  job fails  by hand\n',
  )
  const help = await spawnQuoin(['extension', 'run', '--help'])
  expect(help.stdout).toContain('Run a job of an extension now, and wait until it has ended')
})
