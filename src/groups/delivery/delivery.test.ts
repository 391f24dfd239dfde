import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../test/harness.ts'
import { createUploader, dataOf as shownFile } from '../../../test/files.ts'
import { addFile, addPage, addressOf, animatedImage, createImage } from '../../../test/media.ts'
import { type SignedInUser, createSignedInUser } from '../../../test/signed-in-user.ts'
import { loadSharp } from '../../platform/media/sharp.ts'
import { thumbsOf } from '../../platform/media/blobs.ts'
import { openThumbnails } from '../../platform/media/thumbnails.ts'
import type { FilesTable } from '../../platform/store/tables/content.ts'
import { isSlow } from '../../../test/slow.ts'

/** What visitors may ask for here. */
const sizes = ['128x', '256x', '1024x', '76x', '96x', '38x38-crop', '76x76-crop', '512x-crop', '640x100-crop']

let site: TestApp
let page: string
let sharp: Awaited<ReturnType<typeof loadSharp>>
let admin: SignedInUser
let reader: SignedInUser
let anonymous: SignedInUser

const role = (rights: string) => `title: Role
permissions:
  '*': false
  access: { panel: true, account: true }
${rights}`

beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'users/reader.yml': role('  pages: { access: true, read: true }\n  files: { access: true, read: true }\n'),
    'users/anonymous client.yml': role('  files: { access: true, read: true }\n'),
    'pages/secret.yml': 'title: Secret\noptions: { read: { reader: false } }\n',
    'pages/staff.yml': "title: Staff\noptions: { access: { '*': false, reader: true } }\n",
    'pages/closed.yml': 'title: Closed\noptions: { read: false }\n',
    'pages/open.yml': "title: Open\noptions: { read: { '*': true }, update: { reader: false } }\n",
    'files/hidden.yml': 'title: Hidden\noptions: { read: { reader: false } }\n',
  })
  site = await createTestApp({ storage, settings: { media: { sizes } } })
  sharp = await loadSharp()
  page = await addPage(site, 'exhibits/tide')
  admin = await createSignedInUser(site)
  reader = await createSignedInUser(site, { role: 'reader' })
  anonymous = await createSignedInUser(site, { role: 'anonymous' })
})

const host = () => new URL(site.app.config.url).host

function get(url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS' = 'GET') {
  return site.request({ method, url, headers: { host: host(), ...headers } })
}

const at = (file: FilesTable, name?: string) => addressOf(site, 'pages/exhibits/tide', file, name)
const thumbnailCount = () => site.logged.filter(line => line['msg'] === 'made a thumbnail').length
const tried = () => site.logged.filter(line => line['msg'] === 'could not make a thumbnail').length
const png = { mime: 'image/png', type: 'image' }

const as = async (who: SignedInUser | undefined, url: string) => (who ? who.browser.send({ url }) : get(url))
const shown = async (bytes: Buffer, animated = false) => sharp(bytes, { animated }).metadata()

/**
 * Headers of an unauthenticated client, of an account that may not see pages, of one that may, and of an administrator.
 */
const statuses = async (url: string) =>
  Promise.all([undefined, anonymous, reader, admin].map(async who => (await as(who, url)).statusCode))

/** The mean colour of a square that is cut from the image with this focus. */
const colour = async (focus: string) => {
  const name = `focus-${focus.replaceAll(/\W/g, '')}`
  const file = await addFile(site, page, `${name}.png`, await createImage(), { ...png, focus })
  const { rawPayload } = await get(at(file, `${name}-76x76-crop.png`))
  expect(await shown(rawPayload)).toMatchObject({ width: 76, height: 76 })
  return (await sharp(rawPayload).stats()).channels.slice(0, 3).map(({ mean }) => Math.round(mean))
}

describe('a file', () => {
  test('is delivered with its headers and cached for ever', async () => {
    const bytes = await createImage()
    const file = await addFile(site, page, 'gears.png', bytes, png)
    const answer = await get(at(file))
    expect(answer.statusCode).toBe(200)
    expect(answer.rawPayload.equals(bytes)).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'content-disposition': 'inline',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${file.hash}"`,
    })
    expect(answer.headers).not.toHaveProperty('content-security-policy')
    expect(answer.headers).not.toHaveProperty('vary')
    expect(answer.headers).not.toHaveProperty('set-cookie')
  })

  test('of the site is delivered, too', async () => {
    const file = await addFile(site, 'site://', 'logo.txt', Buffer.from('Quoin'), { mime: 'text/plain' })
    const answer = await get(addressOf(site, 'site', file))
    expect([answer.statusCode, answer.body]).toEqual([200, 'Quoin'])
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['content-disposition']).toBe('inline')
  })

  test('can be empty', async () => {
    const file = await addFile(site, page, 'empty.txt', Buffer.alloc(0), { mime: 'text/plain' })
    const answer = await get(at(file))
    expect([answer.statusCode, answer.headers['content-length'], answer.body]).toEqual([200, '0', ''])
  })

  test.each([
    ['drawing.svg', 'image/svg+xml', 'inline'],
    ['notes.txt', 'text/plain', 'inline'],
    ['page.html', 'text/html', 'attachment; filename="page.html"; filename*=UTF-8\'\'page.html'],
    ['feed.xml', 'application/xml', 'attachment; filename="feed.xml"; filename*=UTF-8\'\'feed.xml'],
    ['x.bin', 'not a type', 'attachment; filename="x.bin"; filename*=UTF-8\'\'x.bin'],
    [`ü'"(1).zip`, 'application/zip', `attachment; filename="____1_.zip"; filename*=UTF-8''%C3%BC%27%22%281%29.zip`],
  ])('%s of the type %s cannot run in a browser', async (filename, mime, disposition) => {
    const file = await addFile(site, page, filename, Buffer.from(`<svg onload="alert(1)"/>${filename}`), { mime })
    const { headers, statusCode } = await get(at(file))
    expect(statusCode).toBe(200)
    expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'; style-src 'unsafe-inline'")
    expect(headers['content-disposition']).toBe(disposition)
    expect(headers['x-content-type-options']).toBe('nosniff')
    if (mime === 'not a type') expect(headers['content-type']).toBe('application/octet-stream')
  })

  test('with two valid types is served as its stored type', async () => {
    const gif = Buffer.concat([await animatedImage('gif'), Buffer.from('<script>alert(1)</script>')])
    const file = await addFile(site, page, 'polyglot.gif', gif, { mime: 'image/gif' })
    const { headers } = await get(at(file))
    expect(headers).toMatchObject({ 'content-type': 'image/gif', 'x-content-type-options': 'nosniff' })
    const thumb = await get(at(file, 'polyglot-76x.gif'))
    expect(thumb.rawPayload.includes('<script>')).toBe(false)
  })

  test('is not sent again to a client that has it', async () => {
    const file = await addFile(site, page, 'known.bin', randomBytes(100))
    const etag = `"${file.hash}"`
    for (const ifNoneMatch of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await get(at(file), { 'if-none-match': ifNoneMatch })
      expect([answer.statusCode, answer.body, answer.headers['etag']]).toEqual([304, '', etag])
    }
    expect((await get(at(file), { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  test('answers HEAD like GET, without the bytes', async () => {
    const bytes = randomBytes(1000)
    const file = await addFile(site, page, 'head.bin', bytes)
    const answer = await get(at(file), { range: 'bytes=0-1' }, 'HEAD')
    expect([answer.statusCode, answer.headers['content-length'], answer.body]).toEqual([200, '1000', ''])
  })

  test('supports range requests', async () => {
    const bytes = randomBytes(1000)
    const file = await addFile(site, page, 'parts.bin', bytes)
    const part = async (range: string, more = {}) => {
      const { statusCode, headers, rawPayload } = await get(at(file), { range, ...more })
      return [statusCode, headers['content-range'], rawPayload.toString('hex')]
    }
    const slice = (from: number, to?: number) => bytes.subarray(from, to).toString('hex')
    expect(await part('bytes=0-9')).toEqual([206, 'bytes 0-9/1000', slice(0, 10)])
    expect(await part('bytes=990-')).toEqual([206, 'bytes 990-999/1000', slice(990)])
    expect(await part('bytes=-10')).toEqual([206, 'bytes 990-999/1000', slice(990)])
    expect(await part('bytes=-5000')).toEqual([206, 'bytes 0-999/1000', slice(0)])
    expect(await part('bytes=5-5000')).toEqual([206, 'bytes 5-999/1000', slice(5)])
    for (const whole of ['bytes=0-1,5-6', 'bytes=9-1', 'bytes=-', 'items=0-1', 'bytes=a-b', `bytes=${'9'.repeat(40)}-`])
      expect([whole, ...(await part(whole))]).toEqual([whole, 200, undefined, slice(0)])
    const etag = `"${file.hash}"`
    expect((await part('bytes=0-9', { 'if-range': etag }))[0]).toBe(206)
    for (const other of ['"other"', `W/${etag}`, 'Sat, 15 Nov 2025 20:00:00 GMT'])
      expect((await part('bytes=0-9', { 'if-range': other }))[0]).toBe(200)
    for (const beyond of ['bytes=1000-', 'bytes=-0', 'bytes=5000-6000']) {
      const answer = await get(at(file), { range: beyond })
      expect([answer.statusCode, answer.json<{ key: string }>().key]).toEqual([416, 'error.request.range'])
      expect(answer.headers['content-range']).toBe('bytes */1000')
    }
  })

  test('that was replaced redirects callers who may see it from the old URL', async () => {
    const file = await addFile(site, page, 'moved.png', await createImage(), png)
    const old = { ...file, hash: 'f'.repeat(64) }
    for (const name of ['moved.png', 'moved-128x.png']) {
      for (const stale of [at(old, name), at({ ...file, stored_at: 5000 }, name)]) {
        const answer = await as(reader, stale)
        expect([answer.statusCode, answer.headers['location']]).toEqual([302, at(file, name)])
        expect(answer.headers['cache-control']).toBe('no-store')
        expect(await statuses(stale), 'anonymous clients get no redirect').toEqual([404, 404, 302, 302])
      }
    }
  })

  test('whose blob is missing is not found, and that is logged', async () => {
    const file = await addFile(site, page, 'lost.bin', randomBytes(10))
    await site.app.media.remove(file.hash)
    expect((await get(at(file))).statusCode).toBe(404)
    expect(site.logged.some(line => line['file'] === file.uuid)).toBe(true)
  })

  test('has a URL that stays valid for any filename', async () => {
    const below = await addPage(site, 'käse/日本')
    const file = await addFile(site, below, 'größe 100%.txt', Buffer.from('x'), { mime: 'text/plain' })
    const address = addressOf(site, 'pages/käse/日本', file)
    expect(address).toMatch(
      /^\/media\/pages\/k%C3%A4se\/%E6%97%A5%E6%9C%AC\/[0-9a-f]{10}-\d+\/gr%C3%B6%C3%9Fe%20100%25\.txt$/,
    )
    expect((await get(address)).statusCode).toBe(200)
    expect((await get(`${address}?v=1`)).statusCode).toBe(200)
  })
})

test('is found under the URLs that the API returns', async () => {
  const sender = await createUploader(admin)
  const upload = async (path: string, bytes: Buffer) =>
    shownFile<{ url: string; thumbs?: Record<string, string> }>(
      await sender.send(path, [{ filename: 'mine.png', bytes }]),
    )
  const fetched = async (url: string) => admin.browser.send({ url: new URL(url).pathname })
  const before = await createImage('png', { width: 1200, height: 40 })
  const { url } = await upload('account/files', before)
  expect((await fetched(url)).rawPayload).toHaveLength(before.length)
  const read = await admin.call('GET', `${admin.id}/files/mine.png?select=thumbs`)
  const { thumbs } = read.json<{ data: { thumbs: Record<string, string> } }>().data
  const widths = await Promise.all(
    Object.values(thumbs).map(async one => (await shown((await fetched(one)).rawPayload)).width),
  )
  expect(widths.slice(0, 5)).toEqual([128, 256, 512, 768, 1024])
  expect(Object.keys(thumbs)).toContain('640x100-crop')
  const after = await upload('account/files/mine.png', await createImage('png', { width: 1300, height: 40 }))
  expect(after.url).not.toBe(url)
  const stale = await fetched(url)
  expect([stale.statusCode, stale.headers['location']]).toEqual([302, new URL(after.url).pathname])
})

describe('invalid requests', () => {
  const version = '0123456789-1700000000'
  test.each([
    '/media/', '/media/site', `/media/site/${version}`, `/media/site/${version}/`, `/media/site/x/${version}/logo.txt`,
    `/media/pages/${version}/gears.png`, `/media/pages/nowhere/${version}/gears.png`, '/media/site/short/logo.txt',
    `/media/users/${version}/a.png`, `/media/users/a/b/${version}/a.png`, `/media/other/${version}/a.png`, `/media/site/${version}/none.png`,
    `/media/__proto__/${version}/a.png`, `/media/constructor/a/${version}/a.png`,
    `/media/site/${version}/..%2f..%2fsecrets.json`, `/media/site/${version}/%2e%2e%2fsecrets.json`, `/media/site/..%2f..%2f/secrets.json`,
    `/media/%2e%2e/secrets.json`, `/media/../secrets.json`, `/media/site/../../secrets.json`, `/media/pages/..%2f/${version}/a.png`,
    `/media/pages/exhibits%2ftide/${version}/gears.png`, `/media/pages/exhibits/../tide/${version}/gears.png`,
    `/media/site/${version}/..%5c..%5csecrets.json`, `/media/site/${version}/a%00.png`, `/media/site/${version}/%0d%0aset-cookie:a`,
    `/media/site/${version}/${'a'.repeat(300)}`, `/media/pages/${'a/'.repeat(200)}${version}/a.png`, '/media/site/%252e%252e/secrets.json',
    `/media/pages//exhibits/tide/${version}/gears.png`, `/media/site/${version}/%ff.png`, '/media/%c0%ae%c0%ae/secrets.json',
  ])('%s', async url => {
    const { statusCode, body } = await get(url)
    expect([400, 404]).toContain(statusCode)
    expect(JSON.parse(body)).toMatchObject({ status: 'error', code: statusCode })
  }) // prettier-ignore

  test('other methods are refused', async () => {
    const answer = await get('/media/site/a/b', {}, 'POST')
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'GET, HEAD'])
    expect((await get('/media/site/a/b', {}, 'OPTIONS')).statusCode).toBe(204)
  })

  test('other hosts are refused', async () => {
    const file = await addFile(site, page, 'host.txt', Buffer.from('host'), { mime: 'text/plain' })
    expect((await get(at(file), { host: 'evil.example' })).statusCode).toBe(421)
  })
})

describe('files that are not public', () => {
  test('of drafts and of everything below them', async () => {
    const draft = await addPage(site, 'draft', { status: 'draft' })
    const below = await addPage(site, 'draft/below')
    for (const [path, owner] of [
      ['draft', draft],
      ['draft/below', below],
    ] as const) {
      // prettier-ignore
      const file = await addFile(site, owner, 'photo.png', await createImage(), png)
      for (const name of ['photo.png', 'photo-128x.png']) {
        const url = addressOf(site, `pages/${path}`, file, name)
        expect([url, ...(await statuses(url))]).toEqual([url, 404, 404, 200, 200])
        const { headers } = await as(reader, url)
        expect(headers['cache-control']).toBe('private, no-store')
        expect(headers['cross-origin-resource-policy']).toBe('same-site')
        expect(headers['vary']).toContain('Cookie')
        expect(headers).not.toHaveProperty('access-control-allow-origin')
      }
      const stale = addressOf(site, `pages/${path}`, { ...file, stored_at: 1 })
      expect(await statuses(stale), 'anonymous clients get no redirect either').toEqual([404, 404, 302, 302])
    }
    const missing = addressOf(site, 'pages/draft', { uuid: 'x', hash: 'y', stored_at: 1, filename: 'none' } as never)
    expect((await get(missing)).body).toBe((await get('/media/pages/nowhere/0123456789-1/none')).body)
  })

  test('hidden by blueprints from a role', async () => {
    const secret = await addPage(site, 'secret', { status: 'draft', template: 'secret' })
    const url = addressOf(site, 'pages/secret', await addFile(site, secret, 'a.txt', Buffer.from('a')))
    expect(await statuses(url)).toEqual([404, 404, 404, 200])
    const open = await addPage(site, 'open', { status: 'draft' })
    const hidden = await addFile(site, open, 'b.txt', Buffer.from('b'), { template: 'hidden' })
    expect(await statuses(addressOf(site, 'pages/open', hidden))).toEqual([404, 404, 404, 200])
  })

  test('denied by blueprints to every role, although the page is public', async () => {
    for (const [template, expected] of [
      ['secret', [404, 404, 404, 200]],
      ['staff', [404, 404, 200, 404]],
      ['closed', [404, 404, 404, 404]],
      ['open', [200, 200, 200, 200]],
    ] as const) {
      const owner = await addPage(site, `public-${template}`, { template })
      const file = await addFile(site, owner, 'photo.png', await createImage(), png)
      for (const name of ['photo.png', 'photo-128x.png']) {
        const url = addressOf(site, `pages/public-${template}`, file, name)
        expect([url, ...(await statuses(url))]).toEqual([url, ...expected])
      }
    }
    const hidden = await addFile(site, page, 'hidden.txt', Buffer.from('hidden'), { template: 'hidden' })
    expect(await statuses(at(hidden))).toEqual([404, 404, 404, 200])
    const { headers } = await as(admin, at(hidden))
    expect([headers['cache-control'], headers['vary']]).toEqual(['private, no-store', 'Cookie, Authorization, Origin'])
    const logo = await addFile(site, 'site://', 'plan.txt', Buffer.from('plan'), { template: 'hidden' })
    expect(await statuses(addressOf(site, 'site', logo))).toEqual([404, 404, 404, 200])
  })

  test('of accounts', async () => {
    const file = await addFile(site, `user://${reader.id}`, 'profile.png', await createImage(), png)
    for (const name of ['profile.png', 'profile-512x-crop.png'])
      expect(await statuses(addressOf(site, `users/${reader.id}`, file, name))).toEqual([404, 404, 200, 200])
    for (const other of ['account', reader.email, 'nobody'])
      expect((await as(reader, addressOf(site, `users/${other}`, file))).statusCode).toBe(404)
  })

  test('become public when their page is published', async () => {
    const owner = await addPage(site, 'soon', { status: 'draft' })
    const url = addressOf(site, 'pages/soon', await addFile(site, owner, 'a.txt', Buffer.from('soon')))
    expect((await get(url)).statusCode).toBe(404)
    await site.app.store.db.updateTable('pages').set({ status: 'listed' }).where('path', '=', 'soon').execute()
    expect((await get(url)).statusCode).toBe(200)
  })
})

describe('a thumbnail', () => {
  test('is made in the best format that the browser accepts', async () => {
    const file = await addFile(site, page, 'formats.jpeg', await createImage('jpeg'), { mime: 'image/jpeg' })
    const url = at(file, 'formats-128x.jpg')
    for (const [accept, type] of [
      ['image/avif,image/webp,*/*', 'image/avif'],
      ['image/webp,image/*;q=0.8', 'image/webp'],
      ['image/avif;q=0, image/webp;q=0.0', 'image/jpeg'],
      ['*/*', 'image/jpeg'],
    ] as const) {
      const { headers, rawPayload } = await get(url, { accept })
      expect([accept, headers['content-type'], headers['vary']]).toEqual([accept, type, 'Accept'])
      expect(await shown(rawPayload)).toMatchObject({ width: 128, height: 64 })
      const again = await get(url, { accept, 'if-none-match': headers['etag'] as string })
      expect(again.statusCode).toBe(304)
    }
    const [avif, webp] = await Promise.all(['image/avif', 'image/webp'].map(accept => get(url, { accept })))
    expect(avif!.headers['etag']).not.toBe(webp!.headers['etag'])
    expect((await get(url, { range: 'bytes=0-9' })).rawPayload).toHaveLength(10)
    expect((await get(url, {}, 'HEAD')).headers['content-length']).toBe((await get(url)).headers['content-length'])
  })

  test('is upright and contains no location', async () => {
    const file = await addFile(site, page, 'turned.jpg', await createImage('jpeg', { orientation: 6 }), {
      mime: 'image/jpeg',
    })
    const { rawPayload } = await get(at(file, 'turned-96x.jpg'))
    const { width, height, exif, icc, orientation } = await shown(rawPayload)
    expect({ width, height, exif, icc, orientation }).toEqual({ width: 96, height: 192 })
  })

  test('is never larger than the image', async () => {
    const file = await addFile(site, page, 'small.png', await createImage('png', { width: 50, height: 20 }), png)
    expect(await shown((await get(at(file, 'small-1024x.png'))).rawPayload)).toMatchObject({ width: 50, height: 20 })
    const square = await get(at(file, 'small-512x-crop.png'))
    expect(await shown(square.rawPayload)).toMatchObject({ width: 20, height: 20 })
  })

  test('is cropped around the focus point', async () => {
    expect(await colour('0% 50%')).toEqual([255, 0, 0])
    expect(await colour('100% 50%')).toEqual([0, 0, 255])
    expect(await colour('nonsense')).toEqual([expect.closeTo(128, -2), 0, expect.closeTo(128, -2)])
  })

  test.each(['gif', 'webp'] as const)('of an animated %s is animated', async format => {
    const file = await addFile(site, page, `moving.${format}`, await animatedImage(format), { mime: `image/${format}` })
    for (const accept of ['image/avif,image/webp', '*/*']) {
      for (const name of [`moving-76x.${format}`, `moving-38x38-crop.${format}`]) {
        const { rawPayload, headers } = await get(at(file, name), { accept })
        expect(headers['content-type']).toBe(accept === '*/*' ? `image/${format}` : 'image/webp')
        expect(await shown(rawPayload, true)).toMatchObject({ pages: 3, pageHeight: 38 })
      }
    }
  })

  test('is made once for concurrent requests', async () => {
    const file = await addFile(site, page, 'once.png', await createImage('png', { width: 2000, height: 1000 }), png)
    const before = thumbnailCount()
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(at(file, 'once-1024x.png'))))
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ rawPayload }) => rawPayload.length)).size).toBe(1)
    expect(thumbnailCount() - before).toBe(1)
    await get(at(file, 'once-1024x.png'))
    expect(thumbnailCount() - before).toBe(1)
    expect(readdirSync(thumbsOf(site.app.config, file.hash))).toEqual(['1024x.png'])
  })

  test('can be made by two processes', async () => {
    const second = await createTestApp({ storage: site.storage })
    const file = await addFile(site, page, 'two.png', await createImage('png', { width: 301 }), png)
    const url = at(file, 'two-256x.png')
    const [one, other] = await Promise.all([get(url), second.request({ url, headers: { host: host() } })])
    expect([one.statusCode, other.statusCode]).toEqual([200, 200])
    expect(one.rawPayload.equals(other.rawPayload)).toBe(true)
    expect(readdirSync(thumbsOf(site.app.config, file.hash))).toEqual(['256x.png'])
    await second.close()
  })

  test('of a size that is not offered is not found, without any work', async () => {
    const file = await addFile(site, page, 'sizes.png', await createImage('png', { width: 302 }), png)
    const before = thumbnailCount()
    for (let width = 1; width <= 1000; width += isSlow ? 1 : 7) {
      if ([38, 76, 96, 128, 192, 256, 352, 512, 768, 864].includes(width)) continue
      const { statusCode } = await get(at(file, `sizes-${width}x.png`))
      expect(statusCode, `${width}`).toBe(404)
    }
    expect(thumbnailCount()).toBe(before)
    expect(existsSync(thumbsOf(site.app.config, file.hash))).toBe(false)
  })

  test('of a size of the panel is made for callers only, and cached privately', async () => {
    const file = await addFile(site, page, 'panel.png', await createImage('png', { width: 303 }), png)
    for (const name of ['panel-192x.png', 'panel-352x235-crop.png', 'panel-864x.png']) {
      expect([name, ...(await statuses(at(file, name)))]).toEqual([name, 404, 404, 200, 200])
      const { headers } = await as(reader, at(file, name))
      expect(headers).toMatchObject({ 'cache-control': 'private, max-age=31536000, immutable' })
      expect(headers['vary']).toContain('Cookie')
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
    expect((await get(at(file, 'panel-640x100-crop.png'))).statusCode, 'the settings name it').toBe(200)
  })

  test('that takes too long is replaced by the original for a minute', async () => {
    const busy = await createTestApp({ storage: site.storage, settings: { media: { sizes } } })
    await busy.app.thumbnails.close()
    const limits = { slots: 1, maxWaiting: 0, prepared: 0, timeoutMs: 60_000 } // made one at a time, and none may wait
    Object.assign(busy.app.thumbnails, openThumbnails(busy.app, limits))
    const file = await addFile(site, page, 'gallery.png', await createImage('png', { width: 300, height: 20 }), png)
    const answers = await Promise.all(
      ['76x', '96x', '128x', '256x'].map(width =>
        busy.request({ url: at(file, `gallery-${width}.png`), headers: { host: host() } }),
      ),
    )
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const forNow = answers.filter(({ headers }) => headers['cache-control'] === 'public, max-age=60')
    expect(forNow.length).toBeGreaterThan(0)
    for (const { headers } of forNow) expect(headers['etag']).toBe(`"${file.hash}"`)
    await busy.close()
  })

  test('of an upload is made after the response, before the first request', async () => {
    const sender = await createUploader(admin)
    const bytes = await createImage('jpeg', { width: 300, height: 100 })
    await sender.send('account/files', [{ filename: 'early.jpg', bytes }])
    const [row] = await site.app.store.db.selectFrom('files').selectAll().where('filename', '=', 'early.jpg').execute()
    const folder = thumbsOf(site.app.config, row!.hash)
    const there = () => (existsSync(folder) ? readdirSync(folder).toSorted() : [])
    await expect
      .poll(there, { timeout: 120_000 })
      .toEqual(['1024x.avif', '128x.avif', '256x.avif', '512x.avif', '768x.avif', '76x.avif', '96x.avif'])
  })

  test('of an invalid image is the original file, and is not tried again', async () => {
    const whole = await createImage('jpeg')
    const bad: [string, Buffer][] = [
      ['cut.jpg', whole.subarray(0, whole.length / 2)],
      ['text.png', Buffer.from('no image')],
      ['svg.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
      ['bomb.png', bomb(30_000, 30_000)],
    ]
    for (const [filename, bytes] of bad) {
      const file = await addFile(site, page, filename, bytes, { mime: 'image/png' })
      const before = { made: thumbnailCount(), tried: tried() }
      for (let time = 0; time < 3; time++) {
        const { statusCode, rawPayload, headers } = await get(at(file, filename.replace('.', '-128x.')))
        expect([filename, statusCode, headers['etag']]).toEqual([filename, 200, `"${file.hash}"`])
        expect(rawPayload.equals(bytes)).toBe(true)
      }
      expect({ made: thumbnailCount(), tried: tried() - 1 }).toEqual(before)
    }
  })

  test('does not hide a file of the same name', async () => {
    await addFile(site, page, 'named.png', await createImage(), png)
    const file = await addFile(site, page, 'named-128x.png', await createImage('png', { width: 30, height: 30 }), png)
    expect(await shown((await get(at(file))).rawPayload)).toMatchObject({ width: 30 })
  })

  test('of two images that differ only in the extension is made from the right one', async () => {
    const wide = await addFile(site, page, 'twin.jpg', await createImage('jpeg'), { mime: 'image/jpeg' })
    const tall = await addFile(site, page, 'twin.jpeg', await createImage('jpeg', { width: 200, height: 400 }), {
      mime: 'image/jpeg',
    })
    const heights = await Promise.all(
      [wide, tall].map(async file => (await shown((await get(at(file, 'twin-96x.jpg'))).rawPayload)).height),
    )
    expect(heights).toEqual([48, 192])
  })
})

test.runIf(process.platform === 'linux')('an aborted request leaves no file open', async () => {
  const file = await addFile(site, page, 'large.bin', randomBytes(8 * 1024 * 1024))
  const port = await site.listen()
  const url = at(file)
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET ${url} HTTP/1.1\r\nhost: ${host()}\r\n\r\n`)
      await once(socket, 'data')
      socket.destroy()
    }),
  )
  const isOpen = () =>
    readdirSync('/proc/self/fd').some(fd => {
      try {
        return readlinkSync(join('/proc/self/fd', fd)).includes(file.hash)
      } catch {
        return false
      }
    })
  await expect.poll(isOpen).toBe(false)
})

/** A PNG that says it is this large and has next to nothing in it. */
function bomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = deflateSync(Buffer.alloc(10_000_000))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type), data])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([size, body, sum])
}
