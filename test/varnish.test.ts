import { expect, test } from 'vitest'
import { startPurging } from '../src/groups/system/purge/purge.ts'
import { freePort } from '../tools/free-port.ts'
import { hasVarnish, purgeToken, startVarnish } from '../tools/varnish.ts'
import { beforeCleanUp, createTestApp, createTestStorage, engine, writeBlueprints } from './harness.ts'
import { createTokenClient } from './pages.ts'
import { isSlow } from './slow.ts'

test.runIf(isSlow && engine === 'sqlite')(
  'Varnish answers instead of the server, until what it shows has changed',
  async ({ skip }) => {
    skip(!hasVarnish(), 'varnishd is not installed')
    const port = await freePort()
    const storage = await createTestStorage()
    writeBlueprints(storage.data, {
      'users/nobody.yml': 'title: Anonymous clients\n',
      'pages/note.yml': 'fields: { text: { type: text } }\n',
    })
    const purge = { kind: 'varnish' as const, url: `http://127.0.0.1:${port}/`, token: purgeToken }
    const site = await createTestApp({ storage, settings: { delivery: { sharedMaxAge: 3600, purge } }, quiet: true })
    const varnish = await startVarnish(port, await site.listen())
    beforeCleanUp(() => varnish.stop())
    beforeCleanUp(await startPurging(site.app))
    const admin = await createTokenClient(site)
    for (const slug of ['a', 'b']) {
      await admin.done('POST', 'site/children', { slug, template: 'note', content: { text: `${slug} one` } })
      await admin.done('PATCH', `pages/${slug}/status`, { status: 'listed' })
    }
    const isIdle = async () => (await admin.done('GET', 'system/purge')).data.waiting === 0
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${varnish.url}/api/${path}`, { headers })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    while (!(await isIdle())) await new Promise(resolve => setTimeout(resolve, 10))

    const first = await ask('pages/a')
    expect([first.status, first.headers.get('x-cache'), first.headers.has('surrogate-key')]).toEqual([
      200,
      'miss',
      false,
    ])
    const again = await ask('pages/a', { cookie: 'visits=7' })
    expect([again.headers.get('x-cache'), again.text]).toEqual(['hit', first.text])
    expect((await ask('pages/a', { 'if-none-match': first.headers.get('etag')! })).status).toBe(304)
    expect((await ask('pages/a', { authorization: 'Bearer nonsense' })).status).toBe(401)
    await ask('pages/b')
    for (const headers of [{}, { authorization: 'Bearer nonsense' }])
      expect(
        (await fetch(varnish.url, { method: 'PURGE', headers: { 'surrogate-key': 'all', ...headers } })).status,
        'also behind a proxy on the same host',
      ).toBe(403)
    expect((await ask('pages/b')).headers.get('x-cache')).toBe('hit')

    await admin.done('PATCH', 'pages/a', { text: 'a two' })
    while (!(await isIdle())) await new Promise(resolve => setTimeout(resolve, 10))
    const changed = await ask('pages/a')
    expect([changed.headers.get('x-cache'), changed.text.includes('a two')]).toEqual(['miss', true])
    expect((await ask('pages/b')).headers.get('x-cache'), 'the other page stays').toBe('hit')

    await admin.done('POST', 'system/purge')
    while (!(await isIdle())) await new Promise(resolve => setTimeout(resolve, 10))
    expect((await ask('pages/b')).headers.get('x-cache')).toBe('miss')
  },
)
