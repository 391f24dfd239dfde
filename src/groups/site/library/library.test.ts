import { expect, test } from 'vitest'
import { dataOf, createImage, createUploader } from '../../../../test/files.ts'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { createSignedInUser, describeRole } from '../../../../test/signed-in-user.ts'
import { addFile } from '../../../../test/media.ts'
import { statementsOf } from '../../../../test/sign-in.ts'

const fields = 'fields: { text: { type: textarea }, cover: { type: files }, named: { type: files, store: id } }'
const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'site.yml': fields,
  'pages/note.yml': fields,
  'pages/secret.yml': `options: { access: { clerk: false }, list: { clerk: false } }\n${fields}`,
  'files/default.yml': 'fields: { text: { type: text } }',
  'files/photo.yml': 'fields: { alt: { type: text }, caption: { type: text } }',
  'files/fixed.yml': 'options: { delete: { clerk: false }, create: { clerk: false } }',
})
describeRole(storage, 'clerk', 'permissions: { access: { users: false } }')
describeRole(storage, 'guest', 'permissions: { files: { create: false, delete: false } }')
const site = await createTestApp({ storage, quiet: true })
const ada = await createTokenClient(site)
const clerk = await createTokenClient(site, { role: 'clerk' })
const guest = await createTokenClient(site, { role: 'guest' })
const ids: Record<string, string> = {}
for (const [slug, template] of Object.entries({ coast: 'note', harbour: 'note', secret: 'secret' }))
  ids[slug] = await addPage(site, '', { slug, title: slug, template, status: 'listed' })
await addPage(site, ids['coast']!, { slug: 'cliffs', title: 'Cliffs', template: 'note', draft: true })

const sender = await createUploader(await createSignedInUser(site))
let colour = 0
async function upload(place: string, filename: string, template = 'photo'): Promise<string> {
  const bytes = filename.endsWith('png')
    ? await createImage('png', { color: `#${(++colour).toString(16).padStart(6, '0')}`, width: 20 + colour })
    : `a,b,${++colour}\n`
  const { uuid } = dataOf<{ uuid: string }>(await sender.send(`${place}/files`, [{ filename, bytes }], { template }))
  await storage.moveClock(1000)
  return uuid
}

interface Result {
  uuid: string
  file: { id: string; link: string; uuid: string } | null
  error: { key: string; message: string } | null
}
const names = async (who: TokenClient, query = '') => {
  const { data } = (await who.done('GET', `site/library?${query}`)) as unknown as { data: { id: string }[] }
  return data.map(({ id }) => id)
}
const run = async (who: TokenClient, what: string, files: string[], parent?: string | null) => {
  const body = parent === undefined ? { files } : { files, parent }
  return ((await who.done('POST', `site/library/${what}`, body)) as unknown as { data: Result[] }).data
}
const errors = (results: Result[]) => results.map(({ error }) => error?.key ?? null)
const contentOf = async (id: string) =>
  ((await ada.done('GET', `pages/${id}?select=content`)).data as { content: Record<string, unknown> }).content

const uuids = {
  wave: await upload('pages/coast', 'wave.png'),
  rock: await upload('pages/coast+cliffs', 'rock.png'),
  boat: await upload('pages/harbour', 'boat.png'),
  table: await upload('pages/harbour', 'tides.csv', 'default'),
  hidden: await upload('pages/secret', 'hidden.png'),
  logo: await upload('site', 'logo.png'),
  own: await upload(`users/${ada.id}`, 'own.csv', 'default'),
}

test('all files that the caller may list are in one list, the last changed first', async () => {
  expect(await names(ada)).toEqual([
    `${ada.id}/own.csv`, 'logo.png', 'secret/hidden.png', 'harbour/tides.csv', 'harbour/boat.png', 'coast/cliffs/rock.png', 'coast/wave.png',
  ]) // prettier-ignore
  const seen = ['logo.png', 'harbour/tides.csv', 'harbour/boat.png', 'coast/cliffs/rock.png', 'coast/wave.png']
  expect(await names(clerk)).toEqual(seen)
  expect(await clerk.done('GET', 'site/library?limit=1')).toMatchObject({ pagination: { total: seen.length } })
  expect(await names(ada, 'sortBy=name asc&limit=2')).toEqual(['harbour/boat.png', 'secret/hidden.png'])
  expect(await ada.done('GET', 'site/library?limit=2&page=2&select=filename,parent')).toMatchObject({
    pagination: { total: 7, page: 2 },
    data: [
      { filename: 'hidden.png', parent: { id: 'secret' } },
      { filename: 'tides.csv', parent: { id: 'harbour', kind: 'page', title: 'harbour' } },
    ],
  })
  expect(await ada.call('GET', 'site/library?limit=2&page=5')).toMatchObject({ status: 404 })
})

test('filters: words, kind, page, date', async () => {
  expect(await names(ada, 'q=boat')).toEqual(['harbour/boat.png'])
  expect(await names(ada, 'q=nothing')).toEqual([])
  expect(await names(clerk, 'q=hidden')).toEqual([])
  expect(await names(ada, 'type=document')).toEqual([`${ada.id}/own.csv`, 'harbour/tides.csv'])
  expect(await names(ada, 'type=other')).toEqual([])
  const { hash } = await site.app.store.db
    .selectFrom('files')
    .select('hash')
    .where('filename', '=', 'hidden.png')
    .executeTakeFirstOrThrow()
  expect([await names(ada, `hash=${hash}`), await names(clerk, `hash=${hash}`)]).toEqual([['secret/hidden.png'], []])
  expect(await ada.call('GET', 'site/library?hash=abc')).toMatchObject({ status: 400 })
  expect(await names(ada, 'parent=coast')).toEqual(['coast/wave.png'])
  expect(await names(ada, 'parent=coast&below=true')).toEqual(['coast/cliffs/rock.png', 'coast/wave.png'])
  expect(await names(ada, 'parent=site://')).toEqual(['logo.png'])
  expect(await names(ada, `parent=user://${ada.id}&below=true`)).toEqual([`${ada.id}/own.csv`])
  const { modified } = (await ada.done('GET', 'pages/harbour/files/boat.png')).data as { modified: string }
  const moment = encodeURIComponent(modified)
  expect(await names(ada, `until=${moment}&sortBy=size asc`)).not.toContain('harbour/tides.csv')
  expect(await names(ada, `from=${moment}&type=image&parent=harbour`)).toEqual(['harbour/boat.png'])
  for (const query of ['type=song', 'used=maybe', 'from=yesterday', 'sortBy=name', 'parent=%00'])
    expect([query, (await ada.call('GET', `site/library?${query}`)).status]).toEqual([query, 400])
  expect(await clerk.call('GET', 'site/library?parent=secret')).toMatchObject({ status: 404 })
  expect(await clerk.call('GET', `site/library?parent=user://${ada.id}`)).toMatchObject({ status: 404 })
})

test('filters: used, and images without a description', async () => {
  await ada.done('PATCH', 'pages/coast', { cover: [uuids.boat], text: '(image: Wave.png alt: A wave)' })
  await ada.done('POST', 'pages/harbour/changes/save', { text: uuids.rock })
  await ada.done('PATCH', 'pages/secret/files/hidden.png', { caption: uuids.hidden, alt: ' ' })
  const used = ['harbour/boat.png', 'coast/cliffs/rock.png', 'coast/wave.png']
  expect(await names(ada, 'used=true')).toEqual(used)
  expect((await names(ada, 'used=false')).toSorted()).toEqual(
    [`${ada.id}/own.csv`, 'harbour/tides.csv', 'logo.png', 'secret/hidden.png'].toSorted(),
  )
  await ada.done('PATCH', 'site/files/logo.png', { alt: 'The logo' })
  expect(await names(ada, 'described=true')).toEqual(['logo.png'])
  expect(await names(ada, 'described=false&sortBy=name asc')).toEqual([
    'harbour/boat.png', 'secret/hidden.png', 'coast/cliffs/rock.png', 'coast/wave.png',
  ]) // prettier-ignore
  await ada.done('POST', 'pages/harbour/changes/discard')
})

test('a moved file keeps its uuid, and what refers to it follows', async () => {
  await ada.done('PATCH', 'pages/coast', {
    text: 'A (Image: WAVE.png alt: x) and (image: wave.png.bak)',
    named: ['wave.png'],
  })
  await ada.done('PATCH', 'pages/harbour', { named: ['coast/wave.png'], cover: [uuids.wave] })
  await ada.done('POST', 'pages/coast/changes/save', { text: 'Draft (file: coast/wave.png)' })
  const [result] = await run(ada, 'move', [uuids.wave], 'harbour')
  expect(result).toEqual({
    uuid: uuids.wave,
    file: { id: 'harbour/wave.png', link: '/pages/harbour/files/wave.png', uuid: uuids.wave },
    error: null,
  })
  expect(await ada.call('GET', 'pages/coast/files/wave.png')).toMatchObject({ status: 404 })
  expect(await contentOf('coast')).toMatchObject({
    text: `A (Image: ${uuids.wave} alt: x) and (image: wave.png.bak)`,
    named: [{ id: 'harbour/wave.png' }],
  })
  expect(await contentOf('harbour')).toMatchObject({
    named: [{ uuid: uuids.wave }],
    cover: [{ uuid: uuids.wave }],
  })
  const draft = (await ada.done('GET', 'pages/coast/changes')).data as { changes: object } | Record<string, unknown>
  expect(JSON.stringify(draft)).toContain(`Draft (file: ${uuids.wave})`)
  const { url, content } = (await ada.done('GET', 'pages/harbour/files/wave.png')).data as {
    url: string
    content: object
  }
  expect(url).toContain('/media/pages/harbour/')
  expect(content).not.toHaveProperty('sort')
  expect((await site.request({ url: new URL(url).pathname })).statusCode).toBe(200)
  const events = (await ada.done('GET', 'site/events?event=file.moved')).data as { detail: object; link: string }[]
  expect(events[0]).toMatchObject({
    link: '/pages/harbour/files/wave.png',
    detail: {
      path: 'wave.png',
      oldPath: 'wave.png',
      parent: expect.stringMatching(/^page:/) as string,
      oldParent: expect.stringMatching(/^page:/) as string,
    },
  })
  expect(await names(ada, 'q=wave')).toEqual(['harbour/wave.png'])
})

test('a file of the site keeps its references; those to files with the same name stay', async () => {
  const other = await upload('pages/coast', 'logo.png')
  await ada.done('PATCH', 'pages/coast', { named: ['logo.png'] })
  await ada.done('PATCH', 'pages/coast+cliffs', { named: ['logo.png'] })
  await run(ada, 'move', [uuids.logo], 'harbour')
  expect([await contentOf('coast'), await contentOf('coast+cliffs')]).toMatchObject([
    { named: [{ uuid: other }] },
    { named: [{ uuid: uuids.logo, id: 'harbour/logo.png' }] },
  ])
  expect((await run(ada, 'move', [uuids.logo], null))[0]!.file).toMatchObject({
    id: 'logo.png',
    link: '/site/files/logo.png',
  })
  expect(await contentOf('coast+cliffs')).toMatchObject({ named: [{ uuid: uuids.logo }] })
})

test('copies have their own uuid and the content; taken names get a number', async () => {
  await ada.done('PATCH', 'pages/harbour/files/boat.png', { alt: 'A boat' })
  const [first] = await run(ada, 'copy', [uuids.boat], 'coast')
  expect(first!.file!.id).toBe('coast/boat.png')
  expect(first!.file!.uuid).not.toBe(uuids.boat)
  expect(await ada.done('GET', 'pages/coast/files/boat.png')).toMatchObject({ data: { content: { alt: 'A boat' } } })
  const again = [(await run(ada, 'copy', [uuids.boat], 'coast'))[0], (await run(ada, 'copy', [uuids.boat], 'coast'))[0]]
  expect(again.map(one => one!.file!.id)).toEqual(['coast/boat-2.png', 'coast/boat-3.png'])
  expect((await run(ada, 'copy', [uuids.boat], 'harbour'))[0]!.file!.id).toBe('harbour/boat-2.png')
  expect((await run(ada, 'move', [first!.file!.uuid], 'harbour'))[0]!.file!.id).toBe('harbour/boat-3.png')
  expect((await run(ada, 'move', [uuids.boat], 'harbour'))[0]!.file!.id).toBe('harbour/boat.png')
  await ada.done('DELETE', 'pages/harbour/files/boat.png')
  const { url } = (await ada.done('GET', 'pages/coast/files/boat-2.png')).data as { url: string }
  expect((await site.request({ url: new URL(url).pathname })).statusCode).toBe(200)
  expect((await names(ada, 'q=boat&sortBy=name asc')).toSorted()).toEqual(
    ['coast', 'harbour'].flatMap(page => [`${page}/boat-2.png`, `${page}/boat-3.png`]),
  )
})

test('moves to one name at the same time both succeed', async () => {
  const [one, two] = [await upload('pages/coast', 'same.png'), await upload('pages/coast+cliffs', 'same.png')]
  const results = await Promise.all([run(ada, 'move', [one], 'harbour'), run(clerk, 'move', [two], 'harbour')])
  expect(
    results
      .flat()
      .map(({ file }) => file!.id)
      .toSorted(),
  ).toEqual(['harbour/same-2.png', 'harbour/same.png'])
  const back = await Promise.all([
    run(ada, 'move', [one], 'coast'),
    run(clerk, 'copy', [one], 'harbour'),
    run(ada, 'move', [two], 'coast'),
  ])
  expect(back.flat().filter(({ error }) => error && error.key !== 'error.file.notFound')).toEqual([])
})

test('each file is refused on its own', async () => {
  const fixed = await upload('pages/coast', 'fixed.csv', 'fixed')
  const free = await upload('pages/coast', 'free.csv', 'default')
  const files = [fixed, free, uuids.hidden, uuids.own, 'file://gone', free]
  expect(errors(await run(clerk, 'move', files, 'harbour'))).toEqual([
    'error.permission', null, 'error.file.notFound', 'error.file.notFound', 'error.file.notFound',
  ]) // prettier-ignore
  expect(errors(await run(clerk, 'copy', [fixed], null))).toEqual(['error.permission'])
  expect(errors(await run(guest, 'move', [free], 'coast'))).toEqual(['error.permission'])
  expect(errors(await run(guest, 'copy', [free], 'coast'))).toEqual(['error.permission'])
  expect(errors(await run(guest, 'delete', [free]))).toEqual(['error.permission'])
  expect(errors(await run(clerk, 'delete', [fixed, free, 'file://gone']))).toEqual([
    'error.permission', null, 'error.file.notFound',
  ]) // prettier-ignore
  const { data } = await ada.done('GET', `site/trash?uuid=${free}`)
  expect(data).toMatchObject([{ kind: 'file', title: 'free.csv' }])
  for (const parent of ['secret', `user://${ada.id}`, 'nowhere'])
    expect([parent, (await clerk.call('POST', 'site/library/move', { files: [fixed], parent })).status]).toEqual([
      parent,
      404,
    ])
  const [many, one] = [Array.from({ length: 201 }, (_, at) => `file://x${at}`), [fixed]]
  for (const body of [
    { files: [] },
    { files: many },
    { files: ['fixed.csv'] },
    { files: 'x' },
    {},
    { files: one, parent: 5 },
  ])
    for (const what of ['move', 'copy', 'delete'])
      expect([what, body, (await ada.call('POST', `site/library/${what}`, body)).status]).toEqual([what, body, 400])
})

test('the image of an account stays there', async () => {
  const bytes = await createImage('png', { width: 77 })
  const avatar = dataOf<{ uuid: string }>(
    await sender.send(`users/${ada.id}/avatar`, [{ filename: 'me.png', bytes }]),
  ).uuid
  expect(await names(ada, 'q=profile')).toEqual([])
  for (const what of ['move', 'copy'])
    expect(errors(await run(ada, what, [avatar], null))).toEqual(['error.file.notFound'])
})

test('the number of statements does not grow with the number of files', async () => {
  const count = async () => {
    const path = 'site/library?limit=100&used=false&described=false&select=filename,parent,content'
    return (await statementsOf(site, () => ada.done('GET', path))).length
  }
  const parent = `page://${await addPage(site, '', { slug: 'many', title: 'many', template: 'note', status: 'listed' })}`
  const add = (at: number) =>
    addFile(site, parent, `many-${at}.png`, Buffer.from('x'), { type: 'image', template: 'photo' })
  await add(0)
  const before = await count()
  for (let at = 1; at < 40; at++) await add(at)
  expect(await count()).toBe(before)
})
