import { beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, createTestStorage, type TestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { statementsOf } from '../../../../test/sign-in.ts'
import { operatorContext } from '../../../cli/site.ts'
import { createLanguage } from '../../../content/languages/languages.ts'
import { sweepTrash } from '../../../content/trash/trash.ts'

const blueprints = {
  'users/nobody.yml': 'title: Anonymous clients\n',
  'pages/note.yml': 'fields: { text: { type: text }, secret: { type: text, private: true } }\n',
  'pages/hidden.yml': 'options: { read: { nobody: false } }\n',
}

async function open(settings = {}, files: Record<string, string> = blueprints) {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, files)
  return createTestApp({ storage, settings: { site: { url: 'https://www.example.org' }, ...settings }, quiet: true })
}

async function visit(site: TestApp, path: string, headers: Record<string, string> = {}, more = '') {
  const answer = await site.request({
    method: 'GET',
    url: `/api/site/resolve?path=${encodeURIComponent(path)}${more}`,
    headers: { host: new URL(site.app.config.url).host, ...headers },
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
  const json: any = answer.body === '' ? {} : answer.json()
  return { status: answer.statusCode, headers: answer.headers, ...json, http: answer.statusCode }
}

/** What a visitor finds: the id of the page, where it has gone (`→ /new`), or the status. */
async function found(site: TestApp, path: string, headers?: Record<string, string>): Promise<string | number> {
  const answer = await visit(site, path, headers)
  if (answer.http !== 200) {
    expect(answer.key).toMatch(/^error\./)
    return answer.http as number
  }
  if (answer.type === 'redirect') expect(answer.redirect.status).toBe(301)
  return answer.type === 'redirect' ? `→ ${answer.redirect.path}` : (answer.data.id as string)
}

const publish = (site: TestApp, parent: string, slug: string, template = 'note') =>
  addPage(site, parent, { slug, title: `Title ${slug}`, template, status: 'listed' })

describe('one language', () => {
  let site: TestApp
  let admin: TokenClient
  beforeAll(async () => {
    site = await open()
    admin = await createTokenClient(site)
    await publish(site, '', 'home')
    const notes = await publish(site, '', 'notes')
    await publish(site, notes, 'ink')
    await publish(site, '', 'hidden', 'hidden')
    await addPage(site, '', { slug: 'draft', template: 'note' })
  })

  test('a visit is one call: the page, with the headers of other public answers', async () => {
    const answer = await visit(site, '/notes/ink', {}, '&select=id,url,content')
    expect(answer).toMatchObject({
      http: 200,
      type: 'model',
      language: null,
      data: { id: 'notes/ink', url: 'https://www.example.org/notes/ink' },
    })
    expect(answer.headers).toMatchObject({
      etag: expect.any(String),
      'cache-control': expect.stringContaining('public'),
    })
    const again = await visit(
      site,
      '/notes/ink',
      { 'if-none-match': String(answer.headers.etag) },
      '&select=id,url,content',
    )
    expect(again.http).toBe(304)
  })

  test.each([
    ['/', 'home'],
    ['', 400],
    ['/home', '→ /'],
    ['/notes', 'notes'],
    ['/notes/', 'notes'],
    ['notes/ink', 'notes/ink'],
    ['/notes/ink?utm=1#top', 'notes/ink'],
    ['/n%6Ftes/ink', 'notes/ink'],
    ['/Notes/INK', '→ /notes/ink'],
    ['https://www.example.org/notes/ink', 'notes/ink'],
    ['https://example.com/notes/ink', 404],
    ['//notes/ink', 404],
    ['/notes//ink', 404],
    ['/notes/../notes/ink', 404],
    ['/./notes', 404],
    ['/notes%2Fink', 404],
    ['/notes\\ink', 404],
    ['/%zz', 404],
    ['/%00', 404],
    ['/a\0b', 400],
    ['/@0123456789abcdef', 404],
    ['/page://0123456789abcdef', 404],
    ['/none', 404],
    ['/draft', 404],
    ['/hidden', 404],
  ])('%j is %j', async (path, expected) => {
    expect(await found(site, path)).toBe(expected)
  })

  test('long paths are 404 or 400', async () => {
    expect(await found(site, `/${'a'.repeat(1990)}`)).toBe(404)
    expect(await found(site, `/${'a/'.repeat(999)}`)).toBe(404)
    expect(await found(site, `/${'a'.repeat(2001)}`)).toBe(400)
  })

  test('permissions decide which addresses are resolved', async () => {
    const own = { authorization: await tokenOf(site, ['published']) }
    expect(await found(site, '/draft', own)).toBe(404)
    expect(await found(site, '/notes/ink', own)).toBe('notes/ink')
    expect((await admin.done('GET', 'site/resolve?path=/draft')).data.id).toBe('draft')
    const created = await admin.done('POST', 'pages/draft/preview', {})
    const pass = { authorization: `Bearer ${created.data.token}` }
    expect(await found(site, '/draft', pass)).toBe('draft')
    expect(await found(site, '/notes/ink', pass)).toBe(401)
    const closed = await open({}, {})
    expect(await found(closed, '/')).toBe(401)
  })
})

async function tokenOf(site: TestApp, scopes: string[]): Promise<string> {
  const { addToken } = await import('../../../../test/tokens.ts')
  const { addUser } = await import('../../../../test/harness.ts')
  const { id } = await addUser(site, { role: 'admin', hash: null })
  return `Bearer ${(await addToken(site.app, { userId: id, name: 'front end', scopes })).token}`
}

describe('old addresses', () => {
  let site: TestApp
  let admin: TokenClient
  const ids: Record<string, string> = {}
  const slug = (id: string, to: string, language = 'en') =>
    admin.done('PATCH', `pages/@${ids[id]}/slug?language=${language}`, { slug: to })
  const move = (id: string, parent: string | null) =>
    admin.done('PATCH', `pages/@${ids[id]}/move`, { parent: parent && `@${ids[parent]}` })

  beforeAll(async () => {
    site = await open({ delivery: { tags: true } })
    admin = await createTokenClient(site)
    await createLanguage(operatorContext(site.app), { code: 'en', url: '' })
    await createLanguage(operatorContext(site.app), { code: 'de' })
    await publish(site, '', 'home')
    ids['notes'] = await publish(site, '', 'notes', 'default')
    ids['ink'] = await publish(site, ids['notes'], 'ink')
    ids['pen'] = await publish(site, ids['ink'], 'pen')
    ids['archive'] = await publish(site, '', 'archive', 'default')
    ids['draft'] = await addPage(site, ids['notes'], { slug: 'draft', template: 'note' })
  })

  test('a slug in one language, with everything below it', async () => {
    await slug('notes', 'notizen', 'de')
    await slug('ink', 'tinte', 'de')
    expect(await found(site, '/de/notizen/tinte/pen')).toBe('notes/ink/pen')
    expect(await found(site, '/de/notes/ink/pen')).toBe('→ /de/notizen/tinte/pen')
    expect(await found(site, '/notes/ink')).toBe('notes/ink')
    await slug('ink', 'farbe', 'de')
    expect(await found(site, '/de/notizen/tinte/pen')).toBe('→ /de/notizen/farbe/pen')
    const { language, headers } = await visit(site, '/de/notizen/farbe')
    expect([language, headers['surrogate-key']]).toEqual(['de', expect.stringMatching(/^all language-de page-/)])
  })

  test('a slug of the id, a move, and back: always one step, in every language', async () => {
    await slug('ink', 'colour')
    await move('ink', 'archive')
    expect(await found(site, '/notes/ink/pen')).toBe('→ /archive/colour/pen')
    expect(await found(site, '/notes/colour')).toBe('→ /archive/colour')
    expect(await found(site, '/de/notizen/tinte')).toBe('→ /de/archive/farbe')
    expect(await found(site, '/de/notizen/farbe/pen')).toBe('→ /de/archive/farbe/pen')
    await move('ink', 'notes')
    await slug('ink', 'ink')
    expect(await found(site, '/notes/ink/pen')).toBe('notes/ink/pen')
    expect(await found(site, '/archive/colour/pen')).toBe('→ /notes/ink/pen')
    const rows = await site.app.store.db
      .selectFrom('redirects')
      .selectAll()
      .where('path', 'like', 'notes/ink%')
      .execute()
    expect(rows.filter(({ language }) => language === '')).toEqual([])
  })

  test('drafts leave none, unless they were published', async () => {
    await slug('draft', 'sketch')
    expect(await found(site, '/notes/draft')).toBe(404)
    await admin.done('PATCH', `pages/@${ids['draft']}/status`, { status: 'listed' })
    await admin.done('PATCH', `pages/@${ids['draft']}/status`, { status: 'draft' })
    await slug('draft', 'plan')
    await admin.done('PATCH', `pages/@${ids['draft']}/status`, { status: 'unlisted' })
    expect(await found(site, '/notes/draft')).toBe(404)
    expect(await found(site, '/notes/sketch')).toBe('→ /notes/plan')
  })

  test('a page that takes the address has it', async () => {
    await slug('archive', 'store')
    expect(await found(site, '/archive')).toBe('→ /store')
    const uuid = await addPage(site, '', { slug: 'archive', template: 'note' })
    expect(await found(site, '/archive')).toBe('→ /store')
    await admin.done('PATCH', `pages/@${uuid}/status`, { status: 'unlisted' })
    expect(await found(site, '/archive')).toBe('archive')
  })

  test('a deleted page leads to its successor, until it is restored', async () => {
    await slug('ink', 'tusche')
    const remove = (body: object) => admin.call('DELETE', `pages/@${ids['ink']}`, { force: true, ...body })
    expect(await remove({ successor: `@${ids['pen']}` })).toMatchObject({
      status: 400,
      key: 'error.page.delete.successor',
    })
    expect(await remove({ successor: 'nowhere' })).toMatchObject({ status: 404, key: 'error.page.notFound' })
    expect((await remove({ successor: `@${ids['notes']}` })).status).toBe(200)
    for (const old of ['/notes/ink', '/notes/tusche', '/archive/colour/pen'])
      expect(await found(site, old)).toBe('→ /notes')
    expect(await found(site, '/de/notizen/farbe/pen')).toBe('→ /de/notizen')
    const [entry] = (await admin.done('GET', 'site/trash')).data
    await admin.done('POST', `site/trash/${entry.id}/restore`, { slug: 'again' })
    for (const old of ['/notes/ink', '/notes/tusche', '/archive/colour'])
      expect(await found(site, old)).toBe('→ /notes/again')
    expect(await found(site, '/archive/colour/pen')).toBe('→ /notes/again/pen')
  })

  test('without a successor it is 404; permanent deletion leaves nothing behind', async () => {
    await admin.done('DELETE', `pages/@${ids['pen']}`, {})
    expect(await found(site, '/archive/colour/pen')).toBe(404)
    await admin.done('DELETE', `pages/@${ids['ink']}`, { force: true, successor: `@${ids['notes']}` })
    await admin.done('DELETE', 'site/trash')
    await sweepTrash(site.app)
    expect(await found(site, '/archive/colour')).toBe('→ /notes')
    const { store } = site.app
    const rows = await store.db.selectFrom('redirects').select('page').execute()
    const pages = new Set((await store.db.selectFrom('pages').select('uuid').execute()).map(({ uuid }) => uuid))
    expect(rows.filter(({ page }) => page !== null && !pages.has(page))).toEqual([])
    expect(await store.db.selectFrom('page_successors').selectAll().execute()).toEqual([])
  })
})

describe('former URLs of languages', () => {
  let site: TestApp
  let admin: TokenClient
  const ids: Record<string, string> = {}
  const setUrl = (code: string, url: string) => admin.done('PATCH', `languages/${code}`, { url })
  const rows = () => site.app.store.db.selectFrom('redirects').select(['language', 'path']).execute()

  beforeAll(async () => {
    site = await open()
    admin = await createTokenClient(site)
    await createLanguage(operatorContext(site.app), { code: 'en', url: '' })
    await createLanguage(operatorContext(site.app), { code: 'de' })
    await publish(site, '', 'home')
    ids['notes'] = await publish(site, '', 'notes', 'default')
    ids['ink'] = await publish(site, ids['notes'], 'ink')
    await admin.done('PATCH', `pages/@${ids['notes']}/slug?language=de`, { slug: 'notizen' })
  })

  test('all addresses below lead to the same ones below the present URL, in one step and with one row', async () => {
    const before = (await rows()).length
    await setUrl('de', '/Deutsch')
    expect(await found(site, '/de/notizen/ink')).toBe('→ /Deutsch/notizen/ink')
    expect(await found(site, '/de')).toBe('→ /Deutsch')
    expect(await found(site, '/DE/Notizen')).toBe('→ /Deutsch/notizen')
    // An address from before the slug was changed, too.
    expect(await found(site, '/de/notes/ink')).toBe('→ /Deutsch/notizen/ink')
    expect(await found(site, '/de/nothing')).toBe(404)
    expect(await found(site, '/notes')).toBe('notes')
    await setUrl('de', '/sprachen/de')
    for (const old of ['/de/notizen', '/deutsch/notizen']) expect(await found(site, old)).toBe('→ /sprachen/de/notizen')
    expect(await found(site, '/sprachen/de/notizen')).toBe('notes')
    expect((await rows()).length - before).toBe(2)
    const { language } = await visit(site, '/de/notizen')
    expect(language).toBe('de')
  })

  test('a language, a page or a redirect that has the address takes precedence', async () => {
    await admin.done('POST', 'languages', { code: 'da', url: '/deutsch' })
    expect(await found(site, '/deutsch/notes')).toBe('notes')
    await admin.done('DELETE', 'languages/da')
    expect(await found(site, '/deutsch/notes')).toBe(404)
    const uuid = await publish(site, '', 'de', 'default')
    expect(await found(site, '/de')).toBe('de')
    expect(await found(site, '/de/notizen')).toBe('→ /sprachen/de/notizen')
    await admin.done('DELETE', `pages/@${uuid}`, {})
    await admin.done('POST', 'site/redirects', { path: '/de/notizen', target: '/notes' })
    expect(await found(site, '/de/notizen')).toBe('→ /notes')
    expect(await found(site, '/de/notizen/ink')).toBe('→ /sprachen/de/notizen/ink')
  })

  test('the former URL becomes the present one again', async () => {
    await setUrl('de', '/de')
    expect(await found(site, '/de/notizen/ink')).toBe('notes/ink')
    expect(await found(site, '/sprachen/de/notizen/ink')).toBe('→ /de/notizen/ink')
    await setUrl('de', '/de/neu') // below the former one
    expect(await found(site, '/de/notizen/ink')).toBe('→ /de/neu/notizen/ink')
    expect(await found(site, '/de/neu/nothing')).toBe(404)
    await setUrl('de', '/de')
  })

  test('no redirect by hand leads back through it', async () => {
    await setUrl('de', '/d')
    const looping = { path: '/d/alt', target: '/de/alt' }
    expect(await admin.call('POST', 'site/redirects', looping)).toMatchObject({
      status: 400,
      key: 'error.redirect.loop',
    })
    // One that was there before leads nowhere.
    await admin.done('POST', 'site/redirects', { path: '/x/alt', target: '/d/alt' })
    await setUrl('de', '/x')
    expect(await found(site, '/d/alt')).toBe(404)
    await setUrl('de', '/de')
  })

  test('redirects to addresses that only the front end has are no loops', async () => {
    await admin.done('POST', 'site/redirects', { path: '/old-search', target: '/search' })
    await setUrl('en', '/en')
    await setUrl('de', '/de/neu')
    for (const [path, target] of [
      ['/older', '/search'],
      ['/en/older', '/en/search'],
      ['/de/neu/older', '/de/neu/suche'],
    ] as const)
      expect(await admin.call('POST', 'site/redirects', { path, target })).toMatchObject({ status: 200 })
    expect(await found(site, '/old-search')).toBe('→ /search')
    const looping = { path: '/en/search', target: '/search' }
    expect((await admin.call('POST', 'site/redirects', looping)).key).toBe('error.redirect.loop')
    await setUrl('en', '')
    await setUrl('de', '/de')
  })

  test('domains: from a path to a domain and back', async () => {
    await setUrl('de', 'https://Example.de/b%C3%BCro')
    const { redirect } = await visit(site, '/de/notizen/ink')
    expect(redirect).toEqual({ status: 301, path: '/notizen/ink', url: 'https://example.de/b%C3%BCro/notizen/ink' })
    await setUrl('de', '/de')
    for (const old of ['https://example.de/b%C3%BCro/notizen/ink', 'https://example.de/BÜRO/notes/ink?x=1'])
      expect(await found(site, old)).toBe('→ /de/notizen/ink')
    expect(await found(site, 'https://example.de/notizen/ink')).toBe(404)
    await setUrl('en', '/en')
    expect(await found(site, '/notes/ink')).toBe('→ /en/notes/ink')
    for (const none of ['https://example.com/notes', '/%zz', '/nothing', '//notes'])
      expect([none, await found(site, none)]).toEqual([none, 404])
    expect(await found(site, 'https://www.example.org/de/notizen')).toBe('notes')
  })

  test('the preview of one language is not refused because of another one', async () => {
    await setUrl('en', '/en') // leaves `/`, which matches every address
    const { token } = (await admin.done('POST', 'site/preview?language=de', {})).data
    const pass = { authorization: `Bearer ${token}` }
    expect(await found(site, '/de/nothing', pass)).toBe(404)
    expect(await found(site, '/de/notizen', pass)).toBe('notes')
    expect(await found(site, '/en/notes', pass)).toBe(401)
    await admin.done('POST', 'site/redirects', { path: '/de/english', target: '/en/notes' })
    expect(await found(site, '/de/english', pass)).toBe('→ /en/notes')
  })

  test('loops take few statements', async () => {
    const { db } = site.app.store
    const row = { page: null, created_at: 1, modified_at: 1 }
    const formers = ['/1', '/1/2', '/1/2/3', '/1/2/3/4'].map(path => ({
      ...row,
      language: 'de',
      path,
      target: null,
      is_automatic: 1,
    }))
    const back = ['5', '4/5', '3/4/5', '2/3/4/5'].map(path => ({
      ...row,
      language: '*',
      path: `de/${path}`,
      target: '/1/2/3/4/5',
      is_automatic: 0,
    }))
    await db
      .insertInto('redirects')
      .values([...formers, ...back])
      .execute()
    const statements = await statementsOf(site, async () => expect(await found(site, '/1/2/3/4/5')).toBe(404))
    expect(statements.length).toBeLessThan(100)
    const manual = (await admin.done('GET', 'site/redirects?q=/1')).data.map(({ id }: { id: number }) => id)
    for (const id of manual) await admin.done('DELETE', `site/redirects/${id}`)
  })

  test('they are listed, and can be deleted but not changed', async () => {
    const { data } = await admin.done('GET', 'site/redirects?q=/sprachen')
    expect(data).toMatchObject([{ path: '/sprachen/de', target: '/de', language: 'de', prefix: true, automatic: true }])
    const [{ id }] = data
    expect(await admin.call('PATCH', `site/redirects/${id}`, { target: '/notes' })).toMatchObject({
      status: 400,
      key: 'error.redirect.prefix',
    })
    await admin.done('DELETE', `site/redirects/${id}`)
    expect(await found(site, '/sprachen/de/notizen')).toBe(404)
  })

  test('those of the last language stay when it is deleted, those of others end', async () => {
    await admin.done('DELETE', 'languages/de')
    expect(await found(site, '/d/notizen')).toBe(404)
    await admin.done('DELETE', 'languages/en')
    expect(await found(site, '/en/notes/ink')).toBe('→ /notes/ink')
    expect((await rows()).filter(({ language }) => language === 'de')).toEqual([])
  })
})

test('the last language leaves no former URL if it had that of the site', async () => {
  const site = await open()
  const admin = await createTokenClient(site)
  await createLanguage(operatorContext(site.app), { code: 'en', url: '' })
  await admin.done('DELETE', 'languages/en')
  expect((await admin.done('GET', 'site/redirects')).data).toEqual([])
  await admin.done('POST', 'site/redirects', { path: '/old', target: '/search' })
})

test('a full URL belongs to the language or site whose URL is the longest beginning of it', async () => {
  const site = await open({ site: { url: 'https://example.ch/site' } })
  const admin = await createTokenClient(site)
  await createLanguage(operatorContext(site.app), { code: 'en', url: 'https://example.ch' })
  await createLanguage(operatorContext(site.app), { code: 'de', url: 'https://example.ch/de' })
  await createLanguage(operatorContext(site.app), { code: 'fr', url: '/fr' })
  const notes = await publish(site, '', 'notes', 'default')
  await admin.done('PATCH', `pages/@${notes}/slug?language=de`, { slug: 'notizen' })
  const languageAt = async (url: string) => {
    const { data, language } = await visit(site, url)
    return [data?.id, language] as [string, string]
  }
  expect(await languageAt('https://example.ch/notes')).toEqual(['notes', 'en'])
  expect(await languageAt('https://example.ch/de/notizen')).toEqual(['notes', 'de'])
  expect(await languageAt('https://example.ch/site/fr/notes')).toEqual(['notes', 'fr'])
})
