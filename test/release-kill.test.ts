/** Kills the server while it publishes a release: all of it is published, or nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addUser, createTestApp, writeBlueprints } from './harness.ts'
import { addPage } from './pages.ts'
import { createSite, serve } from './program.ts'
import { isSlow } from './slow.ts'
import { addToken } from './tokens.ts'

const pages = 150
/** When the server is killed, in ms after the request. */
const delays = [5, 30, 60, 100, 150, 250, 400, 700]

test.runIf(isSlow)(
  'a killed server has published all of a release, or nothing',
  async () => {
    const site = await createSite({ QUOIN_LOG_LEVEL: 'error' })
    writeBlueprints(site.folder, { 'pages/default.yml': 'fields: { text: { type: text } }' })
    const filling = await createTestApp({ storage: site.storage, expensive: true })
    const { id: owner } = await addUser(filling)
    const { token } = await addToken(filling.app, { name: 'test', scopes: ['*'], userId: owner })
    const uuids: string[] = []
    for (let index = 0; index < pages; index++)
      uuids.push(await addPage(filling, '', { slug: `p${index}`, title: 'x', status: 'listed' }))
    await filling.close()

    let server = await serve(site)
    const call = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/api/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      // oxlint-disable-next-line typescript/no-explicit-any -- the test knows the shape
      return ((await answer.json()) as { data: any }).data
    }
    for (const [round, delay] of delays.entries()) {
      const text = `round ${round}`
      for (const uuid of uuids) await call('POST', `pages/@${uuid}/changes/save`, { text })
      const add = uuids.map(uuid => ({ uuid: `page://${uuid}` }))
      const { id } = await call('POST', 'site/releases', { name: text, add })
      const publishing = call('POST', `site/releases/${id}/publish`).catch(() => undefined)
      await sleep(delay)
      await server.stop('SIGKILL')
      await publishing
      server = await serve(site)
      const { state } = await call('GET', `site/releases/${id}`)
      const shown = await call('GET', `site/children?select=content&limit=${pages}`)
      const isNew = shown.filter(({ content }: { content: { text: string } }) => content.text === text).length
      expect([delay, state, isNew]).toEqual([delay, state, state === 'published' ? pages : 0])
      await call('DELETE', `site/releases/${id}`)
    }
    await server.stop('SIGTERM')
  },
  600_000,
)
