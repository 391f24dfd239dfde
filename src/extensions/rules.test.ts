import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { multipartBody, multipartContentType, createImage } from '../../test/files.ts'
import { createRuleExtension, notes } from '../../test/gate.ts'
import { samplesOf } from '../../test/guide-samples.ts'
import { addUser, createTestApp, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient, type Method } from '../../test/pages.ts'
import { rounds } from '../../test/slow.ts'
import { addToken } from '../../test/tokens.ts'
import { carryOutDue } from '../groups/pages/schedule/due.ts'
import { type Extension, refuse, type RuleName } from '../index.ts'
import { changeRole, deleteUser, disableUser, findUser } from '../groups/users/users.ts'
import { operatorContext } from '../cli/site.ts'
import { chunks } from '../platform/lib/chunks.ts'
import { routes } from '../../client/routes.ts'
import type { Cms } from './cms.ts'
import { ruleNames } from './rule-names.ts'
import { writingNames } from './writing-names.ts'

const storage = await createTestStorage()
const fields = `
fields:
  price: { type: number }
  text: { type: text, required: true }
  slogan: { type: text, disabled: true }
  list: { type: structure, fields: { name: { type: text } } }
`
writeBlueprints(storage.data, {
  'site.yml': `title: Site${fields.replace(', required: true', '')}`,
  'pages/product.yml': `title: Product\noptions: { changeTemplate: [offer] }${fields}`,
  'pages/offer.yml': `title: Offer${fields}`,
  'pages/hurried.yml': `title: Hurried${fields}`,
  'files/default.yml': `options: { changeTemplate: [photo] }\nfields: { alt: { type: text } }`,
  'files/photo.yml': 'fields: { alt: { type: text } }',
  'users/member.yml': 'fields: { text: { type: text } }',
  'users/guest.yml': 'title: Guest',
})
const gate = createRuleExtension()
/** Its rules have little time, so they run only for pages of one template: a busy machine must not decide other tests. */
const hasty = createRuleExtension('hasty', { timeout: 300, templates: ['hurried'] })
const site = await createTestApp({
  storage,
  settings: { extensions: [gate.extension, hasty.extension], auth: { throttle: false } },
})
const { app } = site
const admin = await createTokenClient(site)
beforeEach(() => {
  gate.reset()
  hasty.reset()
})

let count = 0
/** A page; published if it gets a status. */
async function product(status?: 'listed' | 'unlisted', content: object = { text: 'Tea' }, template = 'product') {
  const slug = `product-${++count}`
  const page = { slug, template, content: { title: slug, ...content }, ...(status && { status }) }
  const uuid = await gate.withoutRules(() => addPage(site, '', page))
  return { slug, uuid, url: `pages/${slug}` }
}
const contentOf = async (url: string) => (await admin.done('GET', `${url}?select=content`)).data.content as object
const closed = { status: 409, key: 'error.gate.closed' }
const failedIn = (part: string) => ({
  status: 500,
  key: 'error.extension.failed',
  message: expect.stringContaining(part),
})

const red = await createImage('png', { width: 2, height: 2, color: '#c00' })
const blue = await createImage('png', { width: 2, height: 2, color: '#00c' })
const { token } = await addToken(app, { userId: admin.id, name: 'upload', scopes: ['*'] })
const upload = async (url: string, filename: string, bytes = red) => {
  const answer = await site.request({
    method: 'POST',
    url: `/api/${url}`,
    headers: {
      host: new URL(app.config.url).host,
      authorization: `Bearer ${token}`,
      'content-type': multipartContentType,
    },
    payload: multipartBody([{ filename, bytes }]),
  })
  return { ...answer.json<object>(), status: answer.statusCode }
}

// ---- refusing

const member = async () => (await addUser(site, { role: 'member', hash: null })).id
type Try = () => Promise<object>
const page = (method: Method, path: string, body?: object, status?: 'listed') => async () =>
  admin.call(method, `${(await product(status)).url}${path}`, body)
const file = (method: Method, path: string, body?: object) => async () => {
  const { url } = await product()
  await gate.withoutRules(() => upload(`${url}/files`, 'a.png'))
  return admin.call(method, `${url}/files/a.png${path}`, body)
}
/** Needs a recent sign-in, which a token is not. */
const asSystem = (work: (id: string) => Promise<unknown>) => async () => {
  try {
    return { status: 200, value: await work(await member()) }
  } catch (error) {
    const { status, key } = error as { status: number; key: string }
    return { status, key: `error.${key}` }
  }
}
const operator = operatorContext(app)

const tries: Record<RuleName, Try> = {
  'pages.create': () => admin.call('POST', 'site/children', { slug: `new-${++count}`, content: { text: 'x' } }),
  'pages.update': page('PATCH', '', { text: 'x' }),
  'pages.publish': page('PATCH', '', { text: 'x' }, 'listed'),
  'pages.changeStatus': page('PATCH', '/status', { status: 'listed' }),
  'pages.changeTitle': page('PATCH', '/title', { title: 'x' }),
  'pages.changeSlug': page('PATCH', '/slug', { slug: 'another' }),
  'pages.changeTemplate': page('PATCH', '/template', { template: 'offer' }),
  'pages.move': async () => {
    const parent = `shelf-${++count}`
    await gate.withoutRules(() => addPage(site, '', { slug: parent }))
    return admin.call('PATCH', `${(await product()).url}/move`, { parent })
  },
  'pages.duplicate': page('POST', '/duplicate', {}),
  'pages.delete': page('DELETE', ''),
  'site.update': () => admin.call('PATCH', 'site', { price: 3 }),
  'site.publish': () => admin.call('POST', 'site/changes/publish', { price: 4 }),
  'site.changeTitle': () => admin.call('PATCH', 'site/title', { title: 'x' }),
  'files.upload': async () => upload(`${(await product()).url}/files`, 'a.png'),
  'files.update': file('PATCH', '', { alt: 'x' }),
  'files.publish': file('POST', '/changes/publish', { alt: 'x' }),
  'files.replace': async () => {
    const { url } = await product()
    await gate.withoutRules(() => upload(`${url}/files`, 'a.png'))
    return upload(`${url}/files/a.png`, 'a.png', blue)
  },
  'files.changeName': file('PATCH', '/name', { name: 'b' }),
  'files.changeTemplate': file('PATCH', '/template', { template: 'photo' }),
  'files.delete': file('DELETE', ''),
  'users.create': () => admin.call('POST', 'users', { email: `${++count}@example.org`, role: 'member' }),
  'users.update': async () => admin.call('PATCH', `users/${await member()}`, { text: 'x' }),
  'users.publish': async () => admin.call('POST', `users/${await member()}/changes/publish`, { text: 'x' }),
  'users.changeName': async () => admin.call('PATCH', `users/${await member()}/name`, { name: 'x' }),
  'users.changeLanguage': async () => admin.call('PATCH', `users/${await member()}/language`, { language: 'de' }),
  'users.changeRole': asSystem(async id => changeRole(operator, await findUser(app, id), 'guest')),
  'users.changeStatus': asSystem(id => disableUser(operator, { id })),
  'users.delete': asSystem(id => deleteUser(operator, { id })),
}

test.each(ruleNames)('%s: a rule sees it, and may refuse it', async operation => {
  expect(await tries[operation]()).not.toMatchObject({ status: 500 })
  expect(gate.calls.map(({ operation: name }) => name)).toContain(operation)
  gate.on(operation, () => refuse('closed'))
  expect(await tries[operation]()).toMatchObject(closed)
})

test('nothing is stored of what a rule refuses', async () => {
  const { url } = await product('listed')
  const before = (await admin.done('GET', `${url}?select=content,revision,status,title`)).data as object
  gate.refuse('pages.publish', 'pages.changeStatus', 'pages.changeTitle', 'pages.delete')
  expect(await admin.call('PATCH', url, { text: 'x' })).toMatchObject(closed)
  expect(await admin.call('POST', `${url}/changes/publish`, { text: 'x' })).toMatchObject(closed)
  expect(await admin.call('PATCH', `${url}/status`, { status: 'draft' })).toMatchObject(closed)
  expect(await admin.call('PATCH', `${url}/title`, { title: 'x' })).toMatchObject(closed)
  expect(await admin.call('DELETE', url)).toMatchObject(closed)
  expect((await admin.done('GET', `${url}?select=content,revision,status,title`)).data).toEqual(before)
})

test('a rule sees the content as it will be and as it is, the page, the caller and the language', async () => {
  const { url, slug, uuid } = await product('listed', { text: 'Tea', price: '2' })
  await admin.done('PATCH', url, { price: 3 })
  const [update, publish] = gate.calls
  expect([update?.operation, publish?.operation]).toEqual(['pages.update', 'pages.publish'])
  expect(publish).toMatchObject({
    page: { id: slug, uuid: `page://${uuid}`, template: 'product', status: 'listed', parent: 'site://' },
    content: { title: slug, text: 'Tea', price: 3, list: [] },
    before: { price: 2 },
    caller: { id: admin.id, role: 'admin' },
    file: undefined,
    user: undefined,
    language: undefined,
  })
  expect(() => ((publish!.content as Record<string, unknown>)['price'] = 5)).toThrow(TypeError)
})

test('rules come after the permission, the revision and the form of values, and before the rules of the blueprint', async () => {
  const { url } = await product('listed')
  gate.refuse('pages.publish')
  const writer = await createTokenClient(site, { scopes: ['pages.read'] })
  expect(await writer.call('PATCH', url, { text: 'x' })).toMatchObject({ status: 403 })
  expect(await admin.call('PATCH', url, { text: 'x' }, { 'if-match': '"99"' })).toMatchObject({ status: 412 })
  expect(await admin.call('PATCH', url, { price: 'much' })).toMatchObject({ status: 400 })
  expect(gate.calls).toEqual([])
  expect(await admin.call('PATCH', url, { text: '' })).toMatchObject(closed)
  gate.on('pages.publish', () => ({ text: 'Filled in by the rule' }))
  await admin.done('PATCH', url, { text: '' })
  gate.on('pages.publish', () => ({ text: '' }))
  expect(await admin.call('PATCH', url, { price: 1 })).toMatchObject({ status: 400, details: { text: {} } })
  expect(await contentOf(url)).toMatchObject({ text: 'Filled in by the rule', price: '' })
})

test('a refusal at a field has its label and its text in the language of the caller, also while a draft is written', async () => {
  const { url } = await product('listed')
  gate.on('pages.publish', ({ content: { price } }) => {
    if (Number(price) > 9) refuse('wrong', { field: 'price', value: String(price) })
  })
  await app.store.write(tx => tx.updateTable('users').set({ language: 'de' }).where('id', '=', admin.id).execute())
  const message = { 'gate.wrong': 'Nicht „10“.' }
  expect(await admin.call('PATCH', url, { price: 10 })).toMatchObject({
    status: 422,
    key: 'error.gate.wrong',
    message: 'Nicht „10“.',
    details: { price: { label: 'Price', message } },
  })
  const draft = await admin.done('POST', `${url}/changes/save`, { price: 10, text: '' })
  expect(draft).toMatchObject({ errors: { price: { message }, text: { message: {} } } })
  const { data } = await admin.done('GET', `${url}/changes`)
  expect(data.errors).toMatchObject({ price: { message }, text: {} })
  expect(await admin.done('POST', `${url}/changes/save`, { price: 9, text: 'x' })).toMatchObject({ errors: {} })
  await app.store.write(tx => tx.updateTable('users').set({ language: 'en' }).where('id', '=', admin.id).execute())
})

test('the errors of a draft are those of all operations that its publication is', async () => {
  const { url } = await product('listed')
  gate.on('pages.update', ({ content: { price } }) => {
    if (Number(price) > 9) refuse('wrong', { field: 'price', value: String(price) })
  })
  gate.on('pages.changeTitle', ({ input }) => {
    const { title } = input as { title: string }
    if (title === 'Swearing') refuse('wrong', { field: 'title', value: title })
  })
  const save = (body: object) => admin.done('POST', `${url}/changes/save`, body)
  expect(await save({ price: 10, title: 'Swearing' })).toMatchObject({
    errors: {
      price: { message: { 'gate.wrong': 'Not "10".' } },
      title: { message: { 'gate.wrong': 'Not "Swearing".' } },
    },
  })
  expect(await save({ price: 9, title: 'Tea' })).toMatchObject({ errors: {} })
})

test('a rule that fails does not keep a draft from being saved', async () => {
  const { url } = await product('listed')
  gate.on('pages.publish', () => {
    throw new Error('broken')
  })
  expect(await admin.done('POST', `${url}/changes/save`, { price: 5 })).toMatchObject({ errors: {} })
})

// ---- amending

const amend = ({ content }: { content: Readonly<Record<string, unknown>> }) => ({
  slogan: `${String(content['text'])}!`,
})

test('amended values are stored wherever content is stored', async () => {
  for (const name of ['pages.create', 'pages.update', 'pages.publish', 'site.publish', 'files.publish'] as const)
    gate.on(name, name.startsWith('files') ? () => ({ alt: 'A picture' }) : amend)
  const slug = `new-${++count}`
  await admin.done('POST', 'site/children', { slug, template: 'product', content: { text: 'New' } })
  expect(await contentOf(`pages/${slug}`)).toMatchObject({ text: 'New', slogan: 'New!' })
  await admin.done('PATCH', `pages/${slug}`, { text: 'Changed' })
  expect(await contentOf(`pages/${slug}`)).toMatchObject({ slogan: 'Changed!' })
  await admin.done('PATCH', 'site', { text: 'Site' })
  expect(await contentOf('site')).toMatchObject({ slogan: 'Site!' })
  const { url } = await product()
  await upload(`${url}/files`, 'a.png')
  gate.on('files.publish', () => ({ alt: 'A picture' }))
  await admin.done('PATCH', `${url}/files/a.png`, { alt: 'x' })
  expect(await contentOf(`${url}/files/a.png`)).toMatchObject({ alt: 'A picture' })
})

test('what a rule amends when a draft page is published is stored with the status, in one version', async () => {
  const { url } = await product()
  gate.on('pages.publish', ({ page: { status } = {} as never }) => ({ slogan: `Now ${status}` }))
  await admin.done('PATCH', `${url}/status`, { status: 'listed' })
  const { data } = await admin.done('GET', `${url}?select=content,status,revision`)
  expect(data).toMatchObject({ status: 'listed', content: { slogan: 'Now listed' } })
  const history = (await admin.done('GET', `${url}/history`)).data as { action: string }[]
  expect(history.map(({ action }) => action)).toEqual(['status', 'publish', 'create'])
})

test('rules run in the order of the configuration, and each sees what the one before has amended', async () => {
  const gates = [createRuleExtension('first'), createRuleExtension('second')]
  const [first, second] = gates as [ReturnType<typeof createRuleExtension>, ReturnType<typeof createRuleExtension>]
  const other = await createTestApp({ settings: { extensions: gates.map(({ extension }) => extension) } })
  const by = await createTokenClient(other)
  second.on('site.publish', ({ content }) => ({ text: `${String(content['text'])} two` }))
  first.on('site.publish', () => ({ text: 'One' }))
  await by.done('PATCH', 'site', { text: 'Zero' })
  expect((await by.done('GET', 'site?select=content')).data).toMatchObject({ content: { text: 'One two' } })
})

// ---- rules that misbehave

test.each<[what: string, check: () => unknown, part: string]>([
  ['throws', () => { throw new Error('secret') }, 'rule pages.publish'], // prettier-ignore
  ['rejects', async () => { throw new Error('secret') }, 'rule pages.publish'], // prettier-ignore
  ['refuses with an unknown key', () => refuse('unknown'), 'rule pages.publish'],
  ['returns a number', () => 5, 'it must return nothing, or an object'],
  ['returns a list', () => ['x'], 'it must return nothing, or an object'],
  ['returns a map', () => new Map(), 'it must return nothing, or an object'],
  ['returns an unknown field', () => ({ prise: 5 }), 'there is no field "prise"'],
  ['returns a value of another form', () => ({ price: 'much' }), 'the value of "price" does not fit'],
  ['returns a function', () => ({ price: () => 5 }), 'the value of "price" is not JSON'],
  ['returns itself', () => { const one: Record<string, unknown> = {}; one['list'] = one; return one }, 'the value of "list" is not JSON'], // prettier-ignore
  ['changes the title', () => ({ title: 'Mine' }), 'the value of "title" does not fit'],
])('a rule that %s refuses the change and is named, and nothing else', async (_, check, part) => {
  const { url } = await product('listed')
  const other = await product()
  gate.on('pages.publish', check)
  const saving = admin.call('PATCH', url, { text: 'x' })
  expect(await admin.call('PATCH', other.url, { text: 'x' })).toMatchObject({ status: 200 })
  const answer = await saving
  expect(answer).toMatchObject(failedIn(part))
  expect(JSON.stringify(answer)).toContain('gate')
  expect(JSON.stringify(answer)).not.toContain('secret')
  expect(await contentOf(url)).toMatchObject({ text: 'Tea' })
  gate.reset()
  await admin.done('PATCH', url, { text: 'x' })
})

test.each<[what: string, check: () => unknown]>([
  ['never ends', () => new Promise(() => {})],
  ['loops', () => { for (;;); }], // prettier-ignore
])('a rule that %s ends after its time, and other pages are saved meanwhile', async (_, check) => {
  const { url } = await product('listed', { text: 'Tea' }, 'hurried')
  const other = await product()
  hasty.on('pages.publish', check)
  const saving = admin.call('PATCH', url, { text: 'x' })
  expect(await admin.call('PATCH', other.url, { text: 'x' })).toMatchObject({ status: 200 })
  const answer = await saving
  expect(answer).toMatchObject(failedIn('no answer within 300 ms'))
  expect(JSON.stringify(answer)).toContain('hasty')
  expect(await contentOf(url)).toMatchObject({ text: 'Tea' })
})

test('what a rule returns after its time is refused, although it has kept the timer from running', async () => {
  const { url } = await product('listed', { text: 'Tea' }, 'hurried')
  hasty.on('pages.publish', async () => {
    await Promise.resolve()
    for (const end = performance.now() + 400; performance.now() < end;);
  })
  expect(await admin.call('PATCH', url, { text: 'x' })).toMatchObject(failedIn('no answer within 300 ms'))
  expect(await contentOf(url)).toMatchObject({ text: 'Tea' })
})

test('an operation that stores no content takes none', async () => {
  const { url } = await product()
  gate.on('pages.delete', () => ({ text: 'x' }))
  expect(await admin.call('DELETE', url)).toMatchObject(failedIn('content of pages.delete cannot be amended'))
})

// ---- reading

/** The value, or the key of the error. */
async function keyOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    return (error as { key: string }).key
  }
}

test('a rule reads as the caller, and cannot write', async () => {
  const { url, slug } = await product('listed')
  const seen: unknown[] = []
  gate.on('pages.publish', async ({ cms }) => {
    const { data } = await cms.site.children.list({ status: 'all', select: ['id'] })
    seen.push(data.some(({ id }) => id === slug))
    seen.push((await cms.asSystem().users.list()).data.length > 1)
    const all = cms as unknown as Record<string, Record<string, (...input: unknown[]) => Promise<unknown>>>
    seen.push(await keyOf(() => all['pages']!['update']!({ id: slug }, { text: 'x' })))
    seen.push(await keyOf(() => (cms.asSystem() as unknown as typeof all)['pages']!['delete']!({ id: slug })))
    const store = cms.store(notes) as unknown as Record<string, (...input: unknown[]) => Promise<unknown>>
    seen.push(await keyOf(() => store['put']!('a', { text: 'x' })), await store['get']!('a'))
    const letter = { to: 'a@example.org', subject: 'Hello', text: 'Hello' }
    for (const client of [cms, cms.asSystem()]) seen.push(await keyOf(() => (client as Cms).mail(letter)))
  })
  await admin.done('PATCH', url, { price: 1 })
  expect(seen).toEqual([
    true,
    true,
    'error.extension.readOnly',
    'error.extension.readOnly',
    'error.extension.readOnly',
    undefined,
    'error.extension.readOnly',
    'error.extension.readOnly',
  ])
  const narrow = await createTokenClient(site, { scopes: ['pages.*'] })
  gate.on('pages.publish', async ({ cms }) => void (await cms.site.get()))
  expect(await narrow.call('PATCH', url, { price: 2 })).toMatchObject(failedIn('rule pages.publish'))
  gate.on('pages.publish', async ({ cms }) => void (await cms.asSystem().site.get()))
  await narrow.done('PATCH', url, { price: 2 })
})

const last = (name: string) => name.slice(name.lastIndexOf('.') + 1)

test('every endpoint that changes something is missing in the client of rules', () => {
  const named = Object.entries(routes)
  const writes = named.filter(([name, [method]]) => method !== 'GET' && !/\.(find|query)$/.test(name))
  const known: readonly string[] = writingNames
  expect(writes.filter(([name]) => !known.includes(last(name)))).toEqual([])
  const reads = named.filter(one => !writes.includes(one)).map(([name]) => last(name))
  expect(reads.filter(name => known.includes(name))).toEqual([])
})

// ---- concurrency

test('what is stored was checked, despite concurrent changes', async () => {
  const { url } = await product('listed', { text: 'Tea', price: '0' })
  const total = rounds(20, 1000)
  /** The sum of both fields never becomes greater than 10. */
  gate.on('pages.publish', async ({ content, cms }) => {
    await cms.site.get()
    if (Number(content['price']) + Number(content['text']) > 10) refuse('closed')
  })
  await admin.done('PATCH', url, { text: '0' })
  const change = async (at: number) => {
    const sent = at % 2 === 0 ? { price: (at % 5) * 2 } : { text: String((at % 7) * 2) }
    return (await admin.call('PATCH', url, sent)).status
  }
  const statuses: number[] = []
  // A few at a time: a rule that takes more than two seconds is refused, also if it only waits for a busy processor.
  for (const part of chunks([...Array(total).keys()], 20)) statuses.push(...(await Promise.all(part.map(change))))
  expect([...new Set(statuses)].filter(status => ![200, 409, 503].includes(status))).toEqual([])
  expect(statuses).toContain(200)
  const history = (await admin.done('GET', `${url}/history?kind=version&limit=100`)).data as { id: number }[]
  for (const { id } of history) {
    const { content } = (await admin.done('GET', `${url}/history/${id}`)).data as { content: Record<string, string> }
    expect(Number(content['price'] ?? 0) + (Number(content['text']) || 0)).toBeLessThanOrEqual(10)
  }
})

test('of changes that a rule refuses together, only one is stored', async () => {
  const { url } = await product('listed', { text: '0', price: '0' })
  gate.on('pages.publish', async ({ content, cms }) => {
    await cms.site.get() // others write meanwhile
    if (Number(content['price']) + Number(content['text']) > 10) refuse('closed')
  })
  const ways = [
    async () => (await admin.call('PATCH', url, { price: 6 })).status,
    async () => (await admin.call('PATCH', url, { text: '6' })).status,
    async () => (await admin.call('POST', `${url}/changes/publish`, { text: '7' })).status,
  ]
  for (let round = 0; round < rounds(4, 1000); round++) {
    await admin.done('PATCH', url, { price: 0, text: '0' })
    const [first, second] = [ways[round % 3]!, ways[(round + 1 + (round % 2)) % 3]!]
    const statuses = await Promise.all([first(), second()])
    const { content } = (await admin.done('GET', `${url}?select=content`)).data as { content: Record<string, string> }
    expect(Number(content['price']) + Number(content['text'])).toBeLessThanOrEqual(10)
    expect(statuses.filter(status => status !== 200 && status !== 409)).toEqual([])
    expect(statuses).toContain(200)
  }
})

test('rules run again if the page has changed while they ran', async () => {
  const { url } = await product('listed')
  let runs = 0
  gate.on('pages.publish', async ({ content }) => {
    if (content['text'] !== 'mine') return
    runs++
    // Another request publishes another field while this rule is running.
    if (runs === 1) await admin.done('PATCH', url, { price: 7 })
  })
  await admin.done('PATCH', url, { text: 'mine' })
  expect(runs).toBe(2)
  expect(gate.calls.at(-1)?.content).toMatchObject({ text: 'mine', price: 7 })
})

// ---- schedules and the trash

const shown = async (url: string) => (await admin.done('GET', `${url}?select=status,schedule,content`)).data as object

test('a schedule runs the rules when it is due, and names the refusal', async () => {
  const one = await product()
  const two = await product()
  for (const { url } of [one, two])
    await admin.done('PATCH', `${url}/schedule`, {
      status: 'listed',
      at: new Date(storage.clock() + 1e6).toISOString(),
    })
  await app.store.write(tx => tx.updateTable('schedules').set({ due_at: 1 }).execute())
  gate.on('pages.publish', ({ page: { uuid } = {} as never, content }) => {
    if (uuid === `page://${two.uuid}`) refuse('closed')
    return { slogan: `${String(content['text'])} of today` }
  })
  await carryOutDue(app)
  expect(await shown(one.url)).toMatchObject({ status: 'listed', content: { slogan: 'Tea of today' } })
  expect(await shown(two.url)).toMatchObject({ status: 'draft', schedule: { problem: 'error.gate.closed' } })
})

test('a published page in the trash comes back only if the rules still accept it', async () => {
  const { url, uuid } = await product('listed')
  await admin.done('DELETE', url)
  const [entry] = (await admin.done('GET', `site/trash?owner=${encodeURIComponent(`page://${uuid}`)}`)).data
  gate.refuse('pages.publish')
  expect(await admin.call('POST', `site/trash/${entry.id}/restore`)).toMatchObject(closed)
  gate.reset()
  await admin.done('POST', `site/trash/${entry.id}/restore`)
  expect(gate.calls.map(({ operation }): RuleName => operation)).toEqual(['pages.publish'])
})

test('what rules amend of a page in the trash, and of the pages below it, is stored', async () => {
  const { url, uuid, slug } = await product('listed')
  await gate.withoutRules(async () => {
    for (const [name, status] of [
      ['one', 'listed'],
      ['two', 'unlisted'],
      ['three', undefined],
    ] as const)
      // prettier-ignore
      await addPage(site, uuid, { slug: name, template: 'offer', content: { text: name }, ...(status && { status }) })
    await admin.done('DELETE', url, { force: true })
  })
  const [entry] = (await admin.done('GET', `site/trash?owner=${encodeURIComponent(`page://${uuid}`)}`)).data
  gate.on('pages.publish', ({ content }) => ({ slogan: `${String(content['text'])} again` }))
  await admin.done('POST', `site/trash/${entry.id}/restore`)
  const slogans = await Promise.all(
    [url, `${url}+one`, `${url}+two`, `${url}+three`].map(
      async one => ((await contentOf(one)) as { slogan?: string }).slogan,
    ),
  )
  expect(slogans).toEqual(['Tea again', 'one again', 'two again', ''])
  const events = (await admin.done('GET', 'site/events?event=page.published,page.restored&limit=4')).data as {
    event: string
    detail: { path: string; fields?: string[] }
  }[]
  expect(events.map(({ event, detail: { path } }) => `${event} ${path}`)).toEqual([
    `page.published ${slug}/two`,
    `page.published ${slug}/one`,
    `page.published ${slug}`,
    `page.restored ${slug}`,
  ])
  expect((await admin.done('GET', `${url}+one?select=revision`)).data).toEqual({ revision: 3 })
})

test('pages below a copy are drafts, so that the rules are asked before they become visible', async () => {
  const { url, uuid, slug } = await product('listed')
  await gate.withoutRules(() => addPage(site, uuid, { slug: 'part', template: 'offer', content: { text: 'x' }, status: 'listed' })) // prettier-ignore
  await admin.done('POST', `${url}/duplicate`, { slug: `${slug}-copy`, children: true })
  await admin.done('PATCH', `${url}-copy/status`, { status: 'listed' })
  const part = `${url}-copy+part`
  expect((await admin.done('GET', `${part}?select=status,num`)).data).toEqual({ status: 'draft', num: null })
  gate.refuse('pages.publish')
  expect(await admin.call('PATCH', `${part}/status`, { status: 'listed' })).toMatchObject(closed)
})

test('a rule for several operations is called for each of them', async () => {
  const { url } = await product('listed')
  await admin.done('PATCH', url, { text: 'Coffee' })
  expect(gate.multiOperationCalls).toEqual(['pages.update', 'pages.publish'])
})

test('a page is not deleted with its parent against a rule', async () => {
  const { url, slug } = await product()
  await admin.done('POST', `${url}/children`, { slug: 'part', template: 'offer', content: { text: 'x' } })
  gate.on('pages.delete', ({ page: { id } = {} as never }) => {
    if (id === `${slug}/part`) refuse('closed')
  })
  expect(await admin.call('DELETE', url, { force: true })).toMatchObject(closed)
})

test('the sample of the guide', async () => {
  const { code } = samplesOf('docs/guide/extending.md').find(({ heading }) => heading === 'Rules')!
  const folder = mkdtempSync(join(tmpdir(), 'quoin-guide-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const program = join(import.meta.dirname, '../index.ts')
  writeFileSync(join(folder, 'catalogue.ts'), code.replace("'quoin'", JSON.stringify(program)))
  const { catalogue } = (await import(/* @vite-ignore */ join(folder, 'catalogue.ts'))) as { catalogue: Extension }
  const own = await createTestStorage()
  writeBlueprints(own.data, {
    'pages/product.yml': 'fields: { price: { type: number }, net: { type: number, disabled: true } }',
    'pages/category.yml': 'title: Category',
  })
  const other = await createTestApp({ storage: own, settings: { extensions: [catalogue] } })
  const by = await createTokenClient(other)
  await addPage(other, '', { slug: 'teas', template: 'category' })
  const create = (content: object) =>
    by.call('POST', 'pages/teas/children', { slug: 'tea', template: 'product', content, draft: false })
  expect(await create({})).toMatchObject({ status: 422, key: 'error.catalogue.priceMissing', details: { price: {} } })
  expect(await create({ price: 10 })).toMatchObject({ status: 200, data: { content: { price: 10, net: 8.4 } } })
  expect(await by.call('DELETE', 'pages/teas', { force: true })).toMatchObject({ key: 'error.catalogue.inUse' })
})
