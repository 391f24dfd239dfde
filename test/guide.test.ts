/** The samples of the guide's pages for front ends: each is run against a fresh site. */
import { execFile } from 'node:child_process'
import { stripTypeScriptTypes } from 'node:module'
import { promisify } from 'node:util'
import * as standardwebhooks from 'standardwebhooks'
import { expect, test } from 'vitest'
import * as clientModule from '../client/client.ts'
import { importSiteFolder } from '../src/cli/initial-import/initial-import.ts'
import { defineConfig, loadConfig, type Settings } from '../src/platform/config.ts'
import { freePort } from '../tools/free-port.ts'
import { commandsOf, type Sample, samplesOf, wordsOf } from './guide-samples.ts'
import { addUser, createTestApp } from './harness.ts'
import { quoin } from './program.ts'
import { createStarterStorage } from './starter.ts'
import { addToken } from './tokens.ts'

const frontEnd = 'docs/guide/front-end.md'
const samples = [...samplesOf(frontEnd), ...samplesOf('docs/guide/webhooks.md')]

// ---- the site of the samples

const secret = `whsec_${Buffer.from('a secret of the guide, 32 bytes.').toString('base64')}`
const storage = await createStarterStorage()
const port = await freePort()
const cms = `http://127.0.0.1:${port}`
const settings = {
  url: cms,
  api: { public: true },
  site: { url: 'https://www.example.org' },
  webhooks: { allow: ['127.0.0.1'] },
}
const site = await createTestApp({ storage, settings })
await importSiteFolder(site.app)
await site.listen(port)
const { id: owner } = await addUser(site, { email: 'ada@example.org', role: 'admin' })
const { token } = await addToken(site.app, { userId: owner, name: 'guide', scopes: ['*'] })
const clients = {
  anonymous: clientModule.createClient({ url: cms }),
  account: clientModule.createClient({ url: cms, token }),
}
/** These sections show what needs an account. */
const asAccount = new Set(['Preview', 'Write'])

// For browsers, so with other types than the rest.
const preview = (await import(new URL('../preview/preview.ts', import.meta.url).href)) as object

const printed: unknown[] = []
let emptied = 0
const given = {
  modules: {
    quoin: { defineConfig },
    'quoin/client': clientModule,
    'quoin/preview': preview,
    standardwebhooks,
  },
  process: { env: { WEBHOOK_SECRET: secret } },
  console: { log: (value: unknown) => void printed.push(value) },
  render: ({ title }: { title: string }, language: string | null) => new Response(`${title} ${language}`),
  emptyCache: () => void emptied++,
}

/** Runs a sample as a module, and returns what it declares and exports. */
async function run({ code, heading }: Sample): Promise<Record<string, unknown>> {
  const plain = stripTypeScriptTypes(code.replaceAll('https://cms.example.org', cms))
  const declared = [...code.matchAll(/^(?:export )?(?:(?:async )?function|const) (?:(\w+)|\{([^}]+)\})/gm)]
  const names = declared.flatMap(
    ([, name, parts]) => name ?? parts!.split(',').map(part => part.split(':').at(-1)!.trim()),
  )
  const body = plain
    .replaceAll(
      /^import (\{[^}]+\}) from '([^']+)'/gm,
      (_, what: string, from: string) => `const ${what} = modules['${from}']`,
    ) // prettier-ignore
    .replaceAll(/^export default /gm, 'defaultExport = ')
    .replaceAll(/^export /gm, '')
  const all = { ...given, client: clients[asAccount.has(heading) ? 'account' : 'anonymous'] }
  const source = `return (async () => { let defaultExport; { ${body}\n return { ${names.join(', ')}${names.length > 0 ? ', ' : ''}default: defaultExport } } })()`
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the samples are ours
  const call = new Function(...Object.keys(all), source) as (...values: unknown[]) => Promise<Record<string, unknown>>
  return call(...Object.values(all))
}

type Handler = (request: Request) => Promise<Response>
const sent = (body: string, headers: Record<string, string> = {}) =>
  new Request('https://www.example.org/hook', { method: 'POST', body, headers })

/** The results of samples, by the name of their export. */
const checks: Record<string, (value: never) => Promise<void>> = {
  async visit(visit: Handler) {
    const get = async (path: string) => visit(new Request(`https://www.example.org${path}`))
    expect(await (await get('/notes/ink-in-winter')).text()).toBe('Ink in winter null')
    const moved = await get('/notes/Ink-in-winter')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, 'https://www.example.org/notes/ink-in-winter'])
    expect((await get('/nowhere')).status).toBe(404)
  },
  async sitemap(sitemap: () => Promise<Response>) {
    const xml = await (await sitemap()).text()
    expect(xml).toContain('<url><loc>https://www.example.org/notes/ink-in-winter</loc><lastmod>20')
    expect(xml.match(/<url>/g)!.length).toBeGreaterThan(3)
  },
  revalidate: async (revalidate: Handler) => {
    await mustVerify(revalidate)
    expect(emptied).toBe(1)
  },
  receive: async (receive: Handler) => {
    await mustVerify(receive)
    expect(printed.at(-1)).toEqual({ type: 'page.published' })
  },
  async read(read: (request: Request) => Promise<{ content: { intro: string } }>) {
    const { content } = await read(new Request('https://www.example.org/notes/ink-in-winter'))
    expect(content.intro).toContain('Below twelve degrees')
    await clients.account.pages.changes.save({ id: 'notes+ink-in-winter' }, { intro: 'Above thirty' })
    const { url } = await clients.account.pages.preview.create({ id: 'notes+ink-in-winter' }, {})
    expect((await read(new Request(url))).content.intro).toBe('Above thirty')
  },
  attributes: async (attributes: object) =>
    expect(attributes).toEqual({ 'data-quoin': 'page://kN6dFw4gSb8hJt2z#text' }),
  images: async ([image]: [string]) =>
    expect(image).toMatch(/srcset="http\S+roller-256x\.jpg 256w,.+ 1024w" alt="A roller.+" width="1200" height="800"/),
  blocks: async (blocks: object[]) => expect(blocks.length).toBeGreaterThan(3),
  async default(options: Settings) {
    await expect(
      loadConfig({ site: storage.data, options: { ...storage.settings, ...options } }),
    ).resolves.toBeDefined()
  },
  connect: async () => {},
  again: async ({ status }: Response) => expect(status).toBe(304),
  found: async (found: object[]) =>
    expect(found[0]).toEqual({ title: 'Ink in winter', url: 'https://www.example.org/notes/ink-in-winter' }),
  howtos: async (howtos: object[]) => expect(howtos.length).toBeGreaterThan(0),
  address: async (address: string) => expect(address).toBe('https://www.example.org/notes'),
  expires: async (expires: string) => expect(Date.parse(expires)).toBeGreaterThan(0),
}

async function mustVerify(handler: Handler): Promise<void> {
  const body = JSON.stringify({ type: 'page.published' })
  const now = new Date()
  const signature = new standardwebhooks.Webhook(secret).sign('msg_1', now, body)
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(now.getTime() / 1000)) }
  expect((await handler(sent(body, { ...headers, 'webhook-signature': signature }))).status).toBe(204)
  expect((await handler(sent(`${body} `, { ...headers, 'webhook-signature': signature }))).status).toBe(401)
  expect((await handler(sent(body))).status).toBe(401)
}

/** The receiver of the sample has no address that can be resolved. */
const reachable = (command: string) =>
  command.replaceAll('https://cms.example.org', cms).replace('https://build.example.org', 'http://127.0.0.1:9')

const shell: Record<string, (command: string) => Promise<void>> = {
  async npx(command) {
    if (!command.includes('token create')) return // another test checks the options of all commands
    const created = await quoin([...wordsOf(command).slice(2), '--site', storage.data], { environment: { QUOIN_DATA: storage.data, ...(storage.settings.database?.url !== undefined && { QUOIN_DATABASE_URL: storage.settings.database.url }) } }) // prettier-ignore
    expect([created.code, created.stderr]).toEqual([0, expect.stringContaining('ada@example.org')])
    const reader = clientModule.createClient({ url: cms, token: created.stdout.trim() })
    expect((await reader.site.get({})).title).toBe('A small press')
  },
  async curl(command) {
    const { stdout } = await promisify(execFile)('sh', ['-c', reachable(command)], {
      env: { ...process.env, TOKEN: token },
    })
    expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', secret: expect.stringMatching(/^whsec_/) as string })
  },
}

test.each(samples)('$page: $heading', async sample => {
  const { language, code } = sample
  if (language === 'ts') {
    for (const [name, value] of Object.entries(await run(sample))) {
      const isExported = new RegExp(`^export (?:(?:async )?function |const )?${name}\\b`, 'm').test(code)
      if (isExported) expect(Object.keys(checks), 'what a sample exports is checked').toContain(name)
      if (isExported || name !== 'default') await checks[name]?.(value as never)
    }
  } else if (language === 'sh') for (const command of commandsOf(sample)) await shell[wordsOf(command)[0]!]!(command)
  else expect(JSON.parse(code)).toMatchObject({ type: 'page.published' })
})

const sampleOf = (name: string) => samplesOf(frontEnd).find(({ code }) => code.includes(` ${name}`))!

test('a front end may be below a path', async () => {
  const sample = sampleOf('function visit')
  const code = sample.code.replaceAll('https://www.example.org', 'https://www.example.org/blog')
  const { visit } = (await run({ ...sample, code })) as { visit: Handler }
  const answer = await visit(new Request('https://www.example.org/blog/notes/ink-in-winter'))
  expect(await answer.text()).toBe('Ink in winter null')
})

test('texts of editors are escaped', async () => {
  const id = 'notes+ink-in-winter'
  const [file] = (await clients.account.pages.files.list({ id, select: ['filename'] })).data
  await clients.account.pages.files.update({ id, filename: file!.filename }, { alt: '"><b>A & B' })
  const { images } = (await run(sampleOf('images ='))) as { images: string[] }
  expect(images[0]).toContain('alt="&quot;>&lt;b>A &amp; B" width=')
})

test('every section about reading and delivering has a sample', () => {
  const headings = new Set(samplesOf(frontEnd).map(({ heading }) => heading))
  const expected = [
    'Settings',
    'Read',
    'URLs and redirects',
    'Cache',
    'Revalidate',
    'Preview',
    'Search',
    'Images',
    'Sitemap',
  ]
  expect([...headings]).toEqual(expect.arrayContaining(expected))
})
