/** No endpoint makes content visible against a rule of an extension: each is called while one refuses everything. */
import { expect, test } from 'vitest'
import { api } from '../src/api.ts'
import { carryOutDue } from '../src/groups/pages/schedule/due.ts'
import { type AnyEndpoint, listEndpoints } from '../src/http/endpoint.ts'
import { createRuleExtension } from './gate.ts'
import { createTestApp, createTestStorage } from './harness.ts'
import { createTokenClient } from './pages.ts'
import { bodiesOf, createModels, describeModels, type SampleModels, sentTo, urlOf } from './samples.ts'
import { isSlow } from './slow.ts'
import { addToken } from './tokens.ts'

const storage = await createTestStorage()
describeModels(storage)
const gate = createRuleExtension()
const settings = { extensions: [gate.extension], api: { public: true }, auth: { throttle: false } }
const site = await createTestApp({ storage, settings })
const admin = await createTokenClient(site)
const { token } = await addToken(site.app, { userId: admin.id, name: 'x', scopes: ['*'] })
const headers = { host: new URL(site.app.config.url).host, authorization: `Bearer ${token}` }

const soon = () => new Date(Date.now() + 1e9).toISOString()

/** Bodies that would publish; the samples of the declarations are sent, too. */
const attempts: Record<string, () => unknown[]> = {
  'pages.changeStatus': () => [
    { status: 'listed' },
    { status: 'unlisted', publishChanges: true },
    { status: 'listed', publishChanges: true },
  ],
  'pages.schedule.change': () => [{ status: 'listed', at: soon(), publishChanges: true }],
  'pages.children.create': () => [{ slug: 'against-a-rule', title: 'x', draft: false }],
  'site.children.create': () => [{ slug: 'against-a-rule', title: 'x', draft: false }],
}
const attemptsOf = (name: string) =>
  attempts[name]?.() ?? (/\.(update|publish)$/.test(name) ? [{ text: 'Against a rule' }] : [])

/** What these show is refused by the rule, on a published page or (second) on a draft. */
const refused: Record<string, readonly ('published' | 'draft')[]> = {
  'pages.update': ['published'],
  'pages.children.create': ['published', 'draft'],
  'pages.changeStatus': ['published', 'draft'],
  'pages.changeTemplate': ['published'],
  'pages.changeTitle': ['published'],
  'pages.changes.publish': ['published'],
  'pages.files.update': ['published', 'draft'],
  'pages.files.changes.publish': ['published', 'draft'],
  'site.children.create': ['published', 'draft'],
  'site.update': ['published'],
  'site.changeTitle': ['published'],
  'site.changes.publish': ['published'],
  'site.files.update': ['published'],
  'site.files.changes.publish': ['published'],
}

/** These change addresses, take something away, or replace bytes: they have rules of their own. */
const apart = new Set([
  'pages.delete',
  'pages.changeSlug',
  'pages.move',
  ...['upload', 'delete', 'changeName', 'sort', 'replace', 'changeTemplate'].flatMap(name => [
    `pages.files.${name}`,
    `site.files.${name}`,
  ]),
])

const writes = [...listEndpoints(api)].filter(([name, { method }]) => method !== 'GET' && !name.startsWith('auth.'))
const isOfContent = (name: string) =>
  /^(pages|site|languages)\./.test(name) && !/preview|presence|redirects|releases/.test(name)

/** What visitors read: the site, pages with their content, files, and the search. */
async function visitorsRead({ page }: SampleModels): Promise<string> {
  const hall = page.replace(/\+.*/, '')
  const select = 'id,title,status,template,content'
  const urls = [
    'site?select=title,content',
    'site/files?select=id,url,content,template',
    `site/children?select=${select}&limit=1000`,
    `pages/${hall}/children?select=${select}`,
    `pages/${page}?select=${select}`,
    `pages/${page}/files?select=id,url,content,template`,
    'site/search?q=against&select=id',
  ]
  const { host } = headers
  const answers = urls.map(
    async url => (await site.request({ method: 'GET', url: `/api/${url}`, headers: { host } })).body,
  )
  return (await Promise.all(answers)).join('\n')
}

async function call(endpoint: AnyEndpoint, models: SampleModels, body: unknown): Promise<string> {
  const sent = sentTo(endpoint, body)
  const answer = await site.request({
    method: endpoint.method,
    url: urlOf(endpoint, models),
    ...sent,
    headers: { ...sent.headers, ...headers },
  })
  return `${answer.statusCode} ${answer.json<{ key?: string }>().key ?? 'done'}`
}

let sample: { models: SampleModels; status: string; group: string; before: string } | undefined

async function sampleOf(status: 'published' | 'draft', group: string) {
  if (sample?.status === status && (sample.group === group || !['site', 'languages'].includes(group))) return sample
  gate.reset()
  const isWanted = (at: string) => at.startsWith('/pages') || at.startsWith(`/${group}`)
  const models = await createModels(site, isWanted, { authorization: headers.authorization })
  if (status === 'draft') await admin.done('PATCH', `pages/${models.page}/status`, { status: 'draft' })
  gate.refuse('pages.publish', 'site.publish', 'files.publish')
  sample = { models, status, group, before: await visitorsRead(models) }
  return sample
}

const walked = isSlow ? writes : writes.filter(([name]) => isOfContent(name))
const statuses = ['published', 'draft'] as const
const cases = statuses.flatMap(status =>
  walked.filter(([name]) => isSlow || status === 'published' || name in refused).map(one => [status, ...one] as const),
)

test.each(cases)('on a %s page %s shows nothing against a rule', async (status, name, endpoint) => {
  const samples = bodiesOf(endpoint)
  const own = attemptsOf(name)
  for (const body of own.length > 0 && !isSlow ? own : [...samples.slice(0, isSlow ? undefined : 1), ...own]) {
    const { models, before } = await sampleOf(status, endpoint.path.split('/')[1]!)
    const outcome = await call(endpoint, models, body)
    if (!apart.has(name)) expect([body, await visitorsRead(models)]).toEqual([body, before])
    const isAttempt = own.length === 0 || own.includes(body)
    if (isAttempt && refused[name]?.includes(status)) expect([body, outcome]).toEqual([body, '409 error.gate.closed'])
    if (outcome.startsWith('2')) sample = undefined
  }
})

test('a schedule shows nothing against a rule', async () => {
  const { models } = await sampleOf('draft', 'pages')
  await admin.done('PATCH', `pages/${models.page}/schedule`, { status: 'listed', at: soon(), publishChanges: true })
  const before = await visitorsRead(models)
  await site.app.store.write(tx =>
    tx.updateTable('schedules').set({ due_at: 1 }).where('problem', 'is', null).execute(),
  )
  await carryOutDue(site.app)
  expect(await visitorsRead(models)).toBe(before)
  const { data } = await admin.done('GET', `pages/${models.page}?select=schedule`)
  expect(data).toMatchObject({ schedule: { problem: 'error.gate.closed' } })
})
