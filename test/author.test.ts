/** Authors write but do not publish: every endpoint, called by an account with every permission except `pages.publish`. */
import type { LightMyRequestResponse as Answer } from 'fastify'
import { describe, expect, test } from 'vitest'
import { api } from '../src/api.ts'
import { builtInPermissions } from '../src/blueprints/permissions/create.ts'
import { carryOutDue } from '../src/groups/pages/schedule/due.ts'
import { type AnyEndpoint, listEndpoints } from '../src/http/endpoint.ts'
import { addUser, createTestApp, createTestStorage, writeBlueprints } from './harness.ts'
import { createTokenClient } from './pages.ts'
import { bodiesOf, createModels, describeModels, type SampleModels, sentTo, urlOf } from './samples.ts'
import { createSignedInUser, describeRole } from './signed-in-user.ts'
import { isFirstEngine, isSlow } from './slow.ts'
import { addToken } from './tokens.ts'

const storage = await createTestStorage()
describeModels(storage)
describeRole(storage, 'author', 'permissions: { pages: { publish: false } }')
describeRole(storage, 'writer', 'title: Writer')
writeBlueprints(storage.data, { 'pages/guarded.yml': 'options: { publish: { writer: false } }' })
const site = await createTestApp({ storage, settings: { api: { public: true }, auth: { throttle: false } } })
const admin = await createTokenClient(site)

// The same account creates the samples while it may publish: edit locks of its own drafts do not stop it later.
const { id: account } = await addUser(site, { role: 'admin', hash: null })
const tokenOf = async (scopes: string[]) => {
  const { token } = await addToken(site.app, { userId: account, name: 'x', scopes })
  return { authorization: `Bearer ${token}` }
}
const anything = await tokenOf(['*'])
const allButPublish = builtInPermissions.scopes.filter(scope => !scope.includes('*') && scope !== 'pages.publish')
const withoutPublish = await tokenOf(allButPublish)

const setRole = (role: string) =>
  site.app.store.write(tx => tx.updateTable('users').set({ role }).where('id', '=', account).execute())

/** How the permission is missing: in the role, or in the scopes of a token. */
const authors = {
  role: { role: 'author', headers: anything },
  token: { role: 'admin', headers: withoutPublish },
}
type Author = keyof typeof authors

const refusal = /^(403 error\.(page|version)\.publish\.permission|409 error\.release\.held)$/
const host = new URL(site.app.config.url).host
const soon = () => new Date(Date.now() + 1e9).toISOString()

/** Bodies that would publish; the samples of the declarations are sent, too. */
const attempts: Record<string, (models: SampleModels) => unknown[]> = {
  'pages.changeStatus': () => [
    { status: 'listed' },
    { status: 'unlisted', publishChanges: true },
    { status: 'listed', publishChanges: true },
  ],
  'pages.schedule.change': () => [
    { status: 'listed', at: soon() },
    { status: 'unlisted', at: soon(), publishChanges: true },
  ],
  'pages.children.create': () => [{ slug: 'by-an-author', title: 'By an author', draft: false }],
  'site.children.create': () => [{ slug: 'by-an-author', title: 'By an author', draft: false }],
  'site.library.copy': ({ others }) => [{ files: [others!['file']], parent: null }],
  'site.library.delete': ({ others }) => [{ files: [others!['file']] }],
  'site.library.edit': () => [{ rotate: 90 }],
  'site.library.move': ({ others, page }) => [
    { files: [others!['file']], parent: null },
    { files: [others!['siteFile']], parent: page.replace('+', '/') },
  ],
  'site.releases.publish': () => [{}],
  'site.releases.update': () => [{ at: soon() }],
}
const attemptsOf = (name: string, models: SampleModels) =>
  attempts[name]?.(models) ?? (/\.(update|publish)$/.test(name) ? [{ text: 'By an author' }] : [])

/** Refused on a published page. On a draft page, only those with `true` are: the others keep it a draft. */
const publishing: Record<string, boolean> = {
  'pages.update': false,
  'pages.children.create': true,
  'pages.changeStatus': true,
  'pages.changeTemplate': false,
  'pages.changeTitle': false,
  'pages.files.update': false,
  'pages.files.replace': false,
  'pages.files.changeTemplate': false,
  'pages.files.changes.publish': false,
  'pages.schedule.change': true,
  'pages.schedule.delete': true,
  'pages.changes.publish': false,
  'site.children.create': true,
  'site.library.edit': false,
  'site.releases.publish': true,
  'site.releases.update': true,
}

/** Endpoints that change what anonymous clients read with a permission other than `pages.publish`, and why. */
const withOtherPermissions: Record<string, string> = {
  'pages.delete': 'deleting a page has a permission of its own',
  'pages.changeSlug': 'the address has a permission of its own; the content stays',
  'pages.move': 'as the address',
  'pages.files.upload': 'a file that no published content shows yet',
  'pages.files.delete': 'deleting a file has a permission of its own',
  'pages.files.changeName': 'as the address of a page',
  'pages.files.sort': 'the same files in another order',
  'site.update': 'the permission is about pages only',
  'site.changeTitle': 'as above',
  'site.changes.publish': 'as above',
  'site.files.upload': 'as above',
  'site.files.update': 'as above',
  'site.files.replace': 'as above',
  'site.files.delete': 'as above',
  'site.files.changeName': 'as above',
  'site.files.changeTemplate': 'as above',
  'site.files.changes.publish': 'as above',
  'site.files.sort': 'as above',
  'site.library.copy': 'as uploading a file',
  'site.library.delete': 'as deleting a file',
  'site.library.move': 'as uploading a file; those of published pages stay there',
}

const writes = [...listEndpoints(api)].filter(([name, { method }]) => method !== 'GET' && !name.startsWith('auth.'))

const keyOf = (answer: Pick<Answer, 'json'>) => answer.json<{ key?: string }>().key ?? 'done'

async function call(endpoint: AnyEndpoint, url: string, headers: Record<string, string>, body: unknown) {
  const sent = sentTo(endpoint, body)
  const answer = await site.request({
    method: endpoint.method,
    url,
    ...sent,
    headers: { host, ...sent.headers, ...headers },
  })
  return `${answer.statusCode} ${keyOf(answer)}`
}

/** What visitors read: the site, all pages with their content and files, the search and the sitemap. */
async function visitorsRead({ page }: SampleModels): Promise<unknown[]> {
  const hall = page.replace(/\+.*/, '')
  const select = 'id,title,status,template,content'
  const urls = [
    'site?select=title,content',
    'site/files?select=id,url,content,template',
    `site/children?select=${select}&limit=1000`,
    `pages/${hall}/children?select=${select}`,
    `pages/${page}?select=${select}`,
    `pages/${page}/files?select=id,url,content,template`,
    'site/search?q=author&select=id',
    'site/sitemap',
  ]
  const answers = urls.map(async url =>
    (await site.request({ method: 'GET', url: `/api/${url}`, headers: { host } })).json(),
  )
  return Promise.all(answers)
}

/** A page with drafts, versions, a schedule and a file, either published or a draft; the site, if it is wanted. */
async function createSample(status: Status, group: string): Promise<SampleModels> {
  await setRole('admin')
  // What is scheduled cannot be in a release.
  const isWanted = (at: string) => !(group === 'site' && at === '/pages/:id/schedule') && at.startsWith('/pages')
  const models = await createModels(site, at => isWanted(at) || at.startsWith(`/${group}`), anything)
  if (status === 'draft') await admin.done('PATCH', `pages/${models.page}/status`, { status: 'draft' })
  return group === 'site' ? { ...models, others: await createInSite(models, status) } : models
}

/** The files of the page and of the site, and a release that publishes the page. */
async function createInSite({ page }: SampleModels, status: Status): Promise<Record<string, string>> {
  const uuidOf = async (path: string) => (await admin.done('GET', `${path}?select=uuid`)).data.uuid as string
  const [file, siteFile] = [await uuidOf(`pages/${page}/files/note.png`), await uuidOf('site/files/note.png')]
  const add = [{ uuid: await uuidOf(`pages/${page}`), ...(status === 'draft' && { status: 'listed' }) }]
  const { data } = await admin.done('POST', 'site/releases', { name: 'Spring', add })
  const release = data.id as string
  return { file, siteFile, '/site/releases/:release': release, '/site/library/:file': file.replace('file://', '') }
}

type Status = 'published' | 'draft'

describe.each(Object.keys(authors) as Author[])('an author without the permission in the %s', kind => {
  const { role, headers } = authors[kind]
  const changing = new Set<string>()

  describe.each(['published', 'draft'] as const)('on a %s page', status => {
    const isWhole = isSlow || (kind === 'role' && status === 'published' && isFirstEngine)
    const called = isWhole ? writes : writes.filter(([name]) => name in publishing)
    let sample: { group: string; models: SampleModels; before?: unknown } | undefined

    test.each(called)('%s does not publish', async (name, endpoint) => {
      const samples = bodiesOf(endpoint)
      const [, group = ''] = endpoint.path.split('/')
      const count = attemptsOf(name, { user: '', page: '', versions: {}, others: {} }).length
      const sent = isSlow ? samples : samples.slice(0, 1)
      for (let index = 0; index < sent.length + count; index++) {
        if (!sample || (sample.group !== group && ['site', 'languages'].includes(group)))
          sample = { group, models: await createSample(status, group) }
        const { models } = sample
        const isAttempt = index >= sent.length
        const body = isAttempt ? attemptsOf(name, models)[index - sent.length] : sent[index]
        const before = (sample.before ??= await visitorsRead(models))
        await setRole(role)
        const outcome = await call(endpoint, urlOf(endpoint, models), headers, body)
        const after = await visitorsRead(models)
        if (JSON.stringify(after) !== JSON.stringify(before)) {
          changing.add(name)
          if (!(name in withOtherPermissions))
            expect({ name, body, outcome, after }).toEqual({ name, body, outcome, after: before })
        }
        if (name in publishing && (isAttempt || count === 0)) {
          const isRefused = status === 'published' || publishing[name]
          const isOutdated = Object.hasOwn(Object(body) as object, 'revision') // samples have the first one
          const allowed = isOutdated ? '412 error.content.changed' : '200 done'
          expect([body, outcome]).toEqual([body, isRefused ? expect.stringMatching(refusal) : allowed])
        }
        if (outcome.startsWith('2') && ['pages', 'site', 'languages'].includes(group)) sample = undefined
      }
    })
  })

  test.runIf(kind === 'role' && isFirstEngine)(
    'visitors read something else only after calls of the listed endpoints',
    () => {
      expect(Object.keys(withOtherPermissions).filter(name => !changing.has(name))).toEqual([])
    },
  )
})

test('an author restores drafts from the trash, but no published page', async () => {
  const { page } = await createSample('published', 'pages')
  const draft = await createSample('draft', 'pages')
  await setRole('author')
  const outcomes = []
  for (const one of [page, draft.page]) {
    const { data } = await admin.done('GET', `pages/${one}?select=uuid`)
    expect(await send('DELETE', `pages/${one}`)).toBe('200 done')
    const [entry] = (await admin.done('GET', `site/trash?owner=${encodeURIComponent(data.uuid as string)}`)).data
    outcomes.push(await send('POST', `site/trash/${entry.id}/restore`))
  }
  expect(outcomes).toEqual(['403 error.page.publish.permission', '200 done'])
})

test('an author moves no published page out of a draft', async () => {
  const { page } = await createSample('published', 'pages')
  const hall = page.replace('+room', '')
  await admin.done('PATCH', `pages/${hall}/status`, { status: 'draft' })
  await setRole('author')
  const move = (parent: string | null) => send('PATCH', `pages/${page}/move`, { parent })
  expect(await move(null)).toBe('403 error.page.publish.permission')
  await admin.done('POST', `pages/${hall}/children`, { slug: 'den', title: 'Den' })
  expect(await move(`${hall}/den`)).toBe('200 done')
})

test('an author takes no file out of a published page, to change it elsewhere', async () => {
  const { page } = await createSample('published', 'pages')
  const draft = await createSample('draft', 'pages')
  const { uuid } = (await admin.done('GET', `pages/${page}/files/note.png?select=uuid`)).data
  await setRole('author')
  const move = async (parent: string | null) => {
    const body = JSON.stringify({ files: [uuid], parent })
    const headers = { host, ...anything, 'content-type': 'application/json' }
    const answer = await site.request({ method: 'POST', url: '/api/site/library/move', headers, payload: body })
    return answer.json<{ data: { error: { key: string } | null }[] }>().data[0]!.error?.key
  }
  for (const place of [draft.page.replace('+', '/'), null])
    expect([place, await move(place)]).toEqual([place, 'error.page.publish.permission'])
  expect(await move(page.replace('+', '/'))).toBeUndefined()
})

test('the option `publish` of a blueprint denies it for its pages only', async () => {
  await setRole('writer')
  const slug = 'guarded'
  const make = (draft: boolean) => send('POST', 'site/children', { slug, title: 'x', template: 'guarded', draft })
  expect(await make(false)).toBe('403 error.page.publish.permission')
  expect(await make(true)).toBe('200 done')
  expect(await send('PATCH', `pages/${slug}/status`, { status: 'listed' })).toBe('403 error.page.publish.permission')
  expect(await send('PATCH', `pages/${slug}`, { title: 'Another' })).toBe('200 done')
})

test('a schedule is not carried out if its account may no longer publish', async () => {
  const { page } = await createSample('draft', 'pages')
  await send('PATCH', `pages/${page}/schedule`, { status: 'listed', at: soon() })
  await setRole('author')
  await site.app.store.write(tx =>
    tx.updateTable('schedules').set({ due_at: 1 }).where('problem', 'is', null).execute(),
  )
  await carryOutDue(site.app)
  const { data } = await admin.done('GET', `pages/${page}?select=status,schedule`)
  expect(data).toMatchObject({ status: 'draft', schedule: { problem: 'error.page.publish.permission' } })
})

test('an author cannot give others the permission, neither by a role nor by a token', async () => {
  const { id } = await addUser(site, { role: 'member', hash: null })
  const [author, writer] = [
    await createSignedInUser(site, { role: 'author' }),
    await createSignedInUser(site, { role: 'writer' }),
  ]
  const give = async (role: string, by = author) => keyOf(await by.call('PATCH', `${id}/role`, { role }))
  expect(await give('writer')).toBe('error.user.changeRole.permission')
  expect(await give('author')).toBe('done')
  expect([await give('writer', writer), await give('author', writer)]).toEqual(['done', 'done'])
  const scope = async (name: string, by = author) =>
    keyOf(await by.call('POST', 'account/tokens', { name: 'x', scopes: [name] }))
  expect(await scope('pages.publish')).toBe('error.user.token.scope')
  expect([await scope('pages.*'), await scope('pages.publish', writer)]).toEqual(['done', 'done'])
})

test('the permission is shown only where it is set', async () => {
  const { page } = await createSample('published', 'pages')
  const shown = async (role: string, who = anything) => {
    await setRole(role)
    const get = async (url: string) =>
      (await site.request({ method: 'GET', url: `/api/${url}`, headers: { host, ...who } })).json<{
        data: { permissions: { pages: object }; options: object }
      }>().data
    const { permissions } = await get('auth?select=permissions')
    const { options } = await get(`pages/${page}?select=options`)
    return [permissions.pages, options].map(one => ('publish' in one ? one.publish : 'not shown'))
  }
  expect(await shown('admin')).toEqual(['not shown', 'not shown'])
  expect(await shown('author')).toEqual([false, false])
  expect(await shown('admin', withoutPublish)).toEqual([false, false])
})

async function send(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, headers = anything) {
  const answer = await site.request({
    method,
    url: `/api/${path}`,
    headers: { host, ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { payload: JSON.stringify(body) }),
  })
  return `${answer.statusCode} ${keyOf(answer)}`
}
