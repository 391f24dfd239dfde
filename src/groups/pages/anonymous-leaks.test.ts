import { expect, test } from 'vitest'
import { multipartBody, multipartContentType, createImage } from '../../../test/files.ts'
import { addUser, createTestApp, createTestStorage, type TestApp, writeBlueprints } from '../../../test/harness.ts'
import { createTokenClient, type Method, type TokenClient } from '../../../test/pages.ts'
import { isSlow, rounds } from '../../../test/slow.ts'
import { addToken } from '../../../test/tokens.ts'
import { api } from '../../api.ts'
import { listEndpoints } from '../../http/endpoint.ts'

/**
 * Random sites, in which every text contains a word of its own. An anonymous client calls all endpoints, and no answer
 * may contain the word of a text that is not public.
 */
const blueprints = {
  'users/nobody.yml': 'title: Anonymous clients\n',
  'users/editor.yml': 'permissions: { access: { panel: true } }\n',
  'users/default.yml': 'fields: { bio: { type: text } }\n',
  'pages/note.yml': `options: { changeTemplate: true }
fields:
  text: { type: text }
  memo: { type: text, private: true }
  author: { type: users }
  related: { type: pages }
  pictures: { type: files, query: site.files }
  list: { type: structure, fields: { open: { type: text } } }
  prices: { type: structure, private: true, fields: { price: { type: text } } }
`,
  'pages/hidden.yml': 'options: { read: { nobody: false } }\nfields: { text: { type: text } }\n',
  'files/default.yml': 'fields: { alt: { type: text }, source: { type: text, private: true } }\n',
  'site.yml': 'fields: { slogan: { type: text }, budget: { type: text, private: true } }\n',
}

/** Repeatable numbers from 0 to below 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let value = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Page {
  id: string
  uuid: string
  /**
   * An anonymous client can read it by its id: it and all pages above it are published, and its template is not hidden.
   */
  isVisible: boolean
  /** An anonymous client also finds it in lists and searches: it is visible, and its status is `listed`. */
  isListed: boolean
  word: string
  files: { name: string; word: string }[]
}

/** Words of public texts begin with the one, and words of all other texts with the other. */
const [publicPrefix, secretPrefix] = ['pelican', 'plutonium']

class RandomSite {
  readonly random: () => number
  readonly secrets: string[] = []
  readonly pages: Page[] = []
  #count = 0
  readonly site: TestApp
  readonly admin: TokenClient
  readonly adminToken: string

  constructor(site: TestApp, admin: TokenClient, adminToken: string, seed: number) {
    this.site = site
    this.admin = admin
    this.adminToken = adminToken
    this.random = randomFrom(seed)
  }

  chance = (probability: number) => this.random() < probability
  oneOf = <Value>(values: readonly Value[]): Value => values[Math.floor(this.random() * values.length)]!

  /** A word that occurs nowhere else, of letters only: the search finds it. */
  word(kind: 'public' | 'secret'): string {
    const number = String(this.#count++).replaceAll(/\d/g, digit => 'abcdefghij'[Number(digit)]!)
    const word = `${kind === 'public' ? publicPrefix : secretPrefix}q${number}q`
    if (kind === 'secret') this.secrets.push(word)
    return word
  }

  async addAccount(): Promise<string> {
    const { id } = await addUser(this.site, {
      role: 'editor',
      email: `${this.word('secret')}@example.org`,
      hash: null,
    })
    await addToken(this.site.app, { userId: id, name: this.word('secret'), scopes: ['*'] })
    await this.admin.done('PATCH', `users/${id}/name`, { name: this.word('secret') })
    await this.admin.done('PATCH', `users/${id}`, { bio: this.word('secret') })
    await this.upload(`users/${id}`, this.word('secret'), 'secret')
    return id
  }

  async upload(owner: string, name: string, kind: 'public' | 'secret'): Promise<{ name: string; word: string }> {
    const answer = await this.site.request({
      method: 'POST',
      url: `/api/${owner}/files`,
      headers: {
        host: new URL(this.site.app.config.url).host,
        authorization: `Bearer ${this.adminToken}`,
        'content-type': multipartContentType,
      },
      payload: multipartBody([{ filename: `${name}.png`, bytes: await createImage(), type: 'image/png' }]),
    })
    if (answer.statusCode !== 200) throw new Error(answer.body)
    const word = this.word(kind)
    await this.admin.done('PATCH', `${owner}/files/${name}.png`, { alt: word, source: this.word('secret') })
    return { name: `${name}.png`, word }
  }

  async addPage(
    parent: Page | undefined,
    accounts: readonly string[],
    status = this.oneOf(['listed', 'listed', 'unlisted', 'draft']),
    template = this.chance(0.2) ? 'hidden' : 'note',
  ): Promise<void> {
    const { admin } = this
    const isPublished = status !== 'draft' && (parent === undefined || this.isPublishedWithAncestors(parent))
    const isVisible = isPublished && template !== 'hidden'
    const kind = isVisible ? 'public' : 'secret'
    // The slug of a page with a hidden template is part of the address of the pages below it.
    const slug = `n${this.pages.length}${isPublished ? '' : this.word('secret')}`
    const word = this.word(kind)
    const id = parent ? `${parent.id}/${slug}` : slug
    const at = `pages/${id.replaceAll('/', '+')}`
    const known = this.pages.map(({ uuid }) => `page://${uuid}`).filter(() => this.chance(0.5))
    await admin.done('POST', parent ? `pages/${parent.id.replaceAll('/', '+')}/children` : 'site/children', {
      slug,
      template,
      title: this.word(kind),
      content: {
        text: this.word('secret'), // overwritten below, but kept in the history
        ...(template === 'note' && {
          memo: this.word('secret'),
          author: accounts.map(account => `user://${account}`),
          related: known,
          list: [{ open: this.word(kind) }],
          prices: [{ price: this.word('secret') }],
          undeclared: this.word('secret'),
        }),
      },
    })
    const { uuid } = (await admin.done('GET', `${at}?select=uuid`)).data as { uuid: string }
    const files = []
    for (let count = Math.floor(this.random() * 3); count > 0; count--)
      files.push(await this.upload(at, `f${count}${isVisible ? '' : this.word('secret')}`, kind))
    await admin.done('PATCH', at, {
      text: word,
      ...(template === 'note' && { pictures: files.map(({ name }) => name) }),
    })
    await admin.done('PATCH', `${at}?language=de`, { text: this.word(kind) })
    if (status !== 'draft') await admin.done('PATCH', `${at}/status`, { status })
    if (this.chance(0.5)) await admin.done('POST', `${at}/changes/save`, { text: this.word('secret') })
    if (this.chance(0.3)) await admin.done('POST', `${at}/changes/save?language=de`, { text: this.word('secret') })
    this.pages.push({
      id,
      uuid: uuid.slice('page://'.length),
      isVisible,
      isListed: isVisible && status === 'listed',
      word,
      files,
    })
    this.statuses.set(id, status)
  }

  readonly statuses = new Map<string, string>()

  /** Whether neither the page nor a page above it is a draft; their templates may be hidden. */
  isPublishedWithAncestors({ id }: Page): boolean {
    const parts = id.split('/')
    return parts.every((_, index) => this.statuses.get(parts.slice(0, index + 1).join('/')) !== 'draft')
  }

  async build(): Promise<void> {
    const { admin } = this
    await admin.done('POST', 'languages', { code: 'en', default: true })
    await admin.done('POST', 'languages', { code: 'de' })
    const accounts = [await this.addAccount()]
    await admin.done('PATCH', 'site', { slogan: this.word('public'), budget: this.word('secret') })
    await admin.done('POST', 'site/changes/save', { slogan: this.word('secret') })
    await this.upload('site', 'logo', 'public')
    // An IP address, because a name would be looked up; a public one, because others are refused.
    await admin.done('POST', 'system/webhooks', { url: `https://93.184.215.14/${this.word('secret')}`, events: ['*'] })
    await this.addPage(undefined, accounts, 'draft', 'note')
    await this.addPage(this.pages[0], accounts, 'listed', 'note')
    for (let count = 0; count < rounds(5, 10); count++)
      await this.addPage(this.chance(0.5) && this.pages.length > 0 ? this.oneOf(this.pages) : undefined, accounts)
    const removed = this.word('secret')
    await admin.done('POST', 'site/children', {
      slug: removed,
      template: 'note',
      title: this.word('secret'),
      content: { text: this.word('secret') },
    })
    await admin.done('PATCH', `pages/${removed}/status`, { status: 'listed' })
    await admin.done('DELETE', `pages/${removed}`, { force: true })
  }

  /**
   * Sends a request without credentials, or with a token of the scope `published`. Throws if the response is a 5xx, or
   * contains a secret word that the request does not contain.
   */
  async requestAnonymously(
    url: string,
    { method = 'GET', body, token }: { method?: Method | 'PUT'; body?: unknown; token?: string | undefined } = {},
  ) {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const {
      statusCode: status,
      body: text,
      headers,
    } = await this.site.request({
      method,
      url,
      headers: {
        host: new URL(this.site.app.config.url).host,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
      },
      ...(payload !== undefined && { payload }),
    })
    const requestText = `${decodeURIComponent(url)} ${payload ?? ''}`
    const leaked =
      text.includes(secretPrefix) || JSON.stringify(headers).includes(secretPrefix)
        ? this.secrets.filter(
            word => `${text} ${JSON.stringify(headers)}`.includes(word) && !requestText.includes(word),
          )
        : []
    if (leaked.length > 0 || status >= 500) throw new Error(JSON.stringify({ method, url, body, status, leaked }))
    return { status, text }
  }

  /** Addresses of an endpoint, for every page, file and language of the site. */
  addressesOf(path: string): string[] {
    const pages = path.includes(':id') ? this.pages : [undefined]
    return pages.flatMap(page => {
      const ids = page ? [page.id.replaceAll('/', '+'), `@${page.uuid}`] : ['']
      const names = path.includes(':filename') ? (page ? page.files.map(({ name }) => name) : ['logo.png']) : ['']
      return ids.flatMap(id =>
        names.map(
          name =>
            `/api${path.replace(':id', id).replace(':filename', name).replace(':code', 'de').replaceAll(/:\w+/g, 'x')}`,
        ),
      )
    })
  }
}

const variants = [
  '?language=de', '?view=any', '?view=panel', '?view=selector', '?status=all&limit=1000', '?status=drafts', '?version=changes', '?select=content,title,children,files,siblings,parents,parent,prev,next',
  '?select[children]=any', '?select[files]=any&select[siblings]=any', '?select[parent][]=content&select[parents][]=content', `?q=${secretPrefix}`, `?q=${publicPrefix}&status=all`, '?q=q', '?select=options,revision,errors,previewUrl', '?pretty=1',
] // prettier-ignore

const bodies = [
  {},
  { search: secretPrefix },
  {
    search: { query: publicPrefix, options: { minlength: 1 } },
    select: { content: true, title: true, children: true, files: true },
  },
  { filterBy: [{ field: 'text', operator: '*=', value: 'q' }], select: ['content'] },
  { filterBy: [{ field: 'memo', operator: '*=', value: secretPrefix }] },
  { filterBy: [{ field: 'status', operator: '==', value: 'draft' }] },
  { sortBy: 'memo desc' },
  { paginate: { limit: 1000 } },
]

const everyId = (pages: readonly Page[]) => pages.flatMap(({ id, uuid }) => [id, `page://${uuid}`, `@${uuid}`])

test.each(Array.from({ length: rounds(1, 5) }, (_, index) => 1000 + index))(
  'an anonymous client on the random site %i gets nothing that is not published',
  async seed => {
    const storage = await createTestStorage()
    writeBlueprints(storage.data, blueprints)
    const site = await createTestApp({
      storage,
      quiet: true,
      settings: { api: { anonymousPerMinute: 10_000_000 }, delivery: { tags: true } },
    })
    const admin = await createTokenClient(site)
    const { token: adminToken } = await addToken(site.app, { userId: admin.id, name: 'upload', scopes: ['*'] })
    const published = await addToken(site.app, { userId: admin.id, name: 'front end', scopes: ['published'] })
    const anonymousTokens = [undefined, published.token]
    const randomSite = new RandomSite(site, admin, adminToken, seed)
    await randomSite.build()
    expect(randomSite.secrets.length).toBeGreaterThan(50)

    /** All of them in the slow run, otherwise one of them. */
    const sample = <Value>(values: readonly Value[]) => (isSlow ? values : [randomSite.oneOf(values)])
    for (const [name, { method, path, access }] of listEndpoints(api)) {
      if (access !== 'reader' && method !== 'GET') continue
      for (const address of access === 'reader'
        ? randomSite.addressesOf(path)
        : randomSite.addressesOf(path).slice(0, 1)) {
        const { status } = method === 'GET' ? await randomSite.requestAnonymously(address) : { status: 0 }
        if (access === 'public') await randomSite.requestAnonymously(`${address}?view=any`)
        else if (access !== 'reader') expect([name, status]).toEqual([name, 401])
        else
          for (const token of sample(anonymousTokens)) {
            const as = { method, token }
            if (method === 'GET')
              for (const variant of sample(variants)) await randomSite.requestAnonymously(address + variant, as)
            else if (path.endsWith('/find'))
              await randomSite.requestAnonymously(address, { ...as, body: everyId(randomSite.pages) })
            else for (const body of sample(bodies)) await randomSite.requestAnonymously(address, { ...as, body })
          }
      }
    }

    // Visible pages are readable, and only listed ones are found.
    for (const { id, uuid, isVisible, isListed, word, files } of randomSite.pages) {
      const at = `/api/pages/${id.replaceAll('/', '+')}`
      const page = await randomSite.requestAnonymously(at)
      expect([id, page.status, page.text.includes(word)]).toEqual([id, isVisible ? 200 : 404, isVisible])
      if (!isVisible) {
        const missing = await randomSite.requestAnonymously('/api/pages/nowhere')
        expect(page.text.replaceAll(id, '')).toBe(missing.text.replaceAll('nowhere', ''))
      }
      for (const token of anonymousTokens) {
        expect([id, (await randomSite.requestAnonymously(at, { token })).status]).toEqual([id, isVisible ? 200 : 404])
        // Permalinks occur in imported texts. They are no addresses of the site, so those of visible pages are 404,
        // too.
        for (const path of [`/${id}`, `/de/${id}`, `/@/page/${uuid}`])
          expect([
            path,
            (await randomSite.requestAnonymously(`/api/site/resolve?path=${path}`, { token })).status,
          ]).toEqual([path, isVisible && !path.includes('@') ? 200 : 404])
      }
      const found = JSON.parse((await randomSite.requestAnonymously(`/api/site/search?q=${word}`)).text) as {
        data: { id: string }[]
      }
      expect([id, found.data.map(one => one.id)]).toEqual([id, isListed ? [id] : []])
      const listed = await randomSite.requestAnonymously(`${at}/files`)
      expect([id, listed.status]).toEqual([id, isVisible ? 200 : 404])
      for (const { name, word: alt } of files) {
        const file = await randomSite.requestAnonymously(`${at}/files/${name}`)
        expect([id, name, file.status, file.text.includes(alt), listed.text.includes(alt)]).toEqual([
          id,
          name,
          isVisible ? 200 : 404,
          isVisible,
          isVisible,
        ])
        const { url } = (await admin.done('GET', `${at.slice('/api/'.length)}/files/${name}?select=url`)).data as {
          url: string
        }
        const { status } = await randomSite.requestAnonymously(new URL(url).pathname)
        expect([name, status === 200]).toEqual([name, isVisible])
      }
    }
    const lists = await Promise.all(
      ['site/children?select=content', `site/search?q=${publicPrefix}&select=content`, 'site?select[children]=any'].map(
        path => randomSite.requestAnonymously(`/api/${path}`),
      ),
    )
    for (const { word, isListed } of randomSite.pages)
      if (!isListed) for (const { text } of lists) expect(text).not.toContain(word)
  },
)
