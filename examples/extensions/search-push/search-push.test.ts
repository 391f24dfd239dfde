import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { runDue, runsOf } from '../../../test/background.ts'
import { filesIn } from '../../../test/guide-samples.ts'
import { beforeCleanUp, createTestApp, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { createSite, spawnQuoin } from '../../../test/program.ts'
import { startExtensions } from '../../../src/extensions/start.ts'
import { searchPush } from './search-push.ts'

interface Pushed {
  id: string
  within: string[]
  title: string
  url: string
  text: string
}

/** A small search service: keeps what is pushed, and deletes by filter. */
async function createSearchService() {
  const documents = new Map<string, Pushed>()
  const service = { documents, url: '', status: 200, requests: 0 }
  const server = createServer((request, response) => {
    void text(request).then(body => {
      service.requests++
      const isAllowed = request.headers.authorization === 'Bearer secret'
      const status = isAllowed ? service.status : 401
      if (status === 200 && request.url === '/indexes/pages/documents')
        for (const document of JSON.parse(body) as Pushed[]) documents.set(document.id, document)
      if (status === 200 && request.url === '/indexes/pages/documents/delete') {
        const [, uuid = ''] = /^within = "(.+)"$/.exec((JSON.parse(body) as { filter: string }).filter) ?? []
        for (const { id, within } of documents.values()) if (within.includes(uuid)) documents.delete(id)
      }
      response.writeHead(status).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  beforeCleanUp(async () => void server.close())
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/indexes/pages`
  return service
}

async function open() {
  const service = await createSearchService()
  const storage = await createTestStorage()
  writeBlueprints(storage.data, { 'pages/note.yml': 'fields: { text: { type: textarea } }' })
  const extension = searchPush({ url: service.url, key: 'secret' })
  const site = await createTestApp({ storage, settings: { extensions: [extension] } })
  const admin = await createTokenClient(site)
  const add = (path: string, slug: string, draft = false) =>
    admin.done('POST', `${path}/children`, {
      slug,
      template: 'note',
      content: { title: slug, text: `Text ${slug}` },
      draft,
    })
  const found = () => [...service.documents.values()].map(({ url }) => new URL(url).pathname).toSorted()
  return { service, site, admin, add, found }
}

test('what visitors can read is in the search service, after every change', async () => {
  const { service, site, admin, add, found } = await open()
  await (
    await startExtensions(site.app, { pollMs: 3_600_000 })
  )()
  await add('site', 'notes')
  await add('pages/notes', 'ink')
  await add('pages/notes', 'plan', true)
  await runDue(site)
  expect(found()).toEqual(['/notes', '/notes/ink'])
  await admin.done('PATCH', 'pages/notes+ink', { text: 'Freezes in winter' })
  await admin.done('POST', 'pages/notes+ink/changes/save', { text: 'Not published' })
  await runDue(site)
  expect([...service.documents.values()]).toContainEqual(
    expect.objectContaining({ title: 'ink', text: 'Freezes in winter' }),
  )
  await admin.done('PATCH', 'pages/notes/slug', { slug: 'texts' })
  await runDue(site)
  expect(found()).toEqual(['/texts', '/texts/ink'])
  await admin.done('PATCH', 'pages/texts/status', { status: 'draft' })
  await runDue(site)
  expect(found()).toEqual([])
  await admin.done('PATCH', 'pages/texts/status', { status: 'listed' })
  await runDue(site)
  expect(found()).toEqual(['/texts', '/texts/ink'])
  await admin.done('DELETE', 'pages/texts', { force: true })
  await runDue(site)
  expect(found()).toEqual([])
})

test('an outage of the service loses nothing', async () => {
  const { service, site, admin, add, found } = await open()
  await (
    await startExtensions(site.app, { pollMs: 3_600_000 })
  )()
  service.status = 503
  await add('site', 'notes')
  await runDue(site)
  expect(found()).toEqual([])
  expect(await runsOf(admin, 'search-push')).toMatchObject([
    { part: 'on page.*', state: 'waiting', problem: 'Error: The search service has answered 503' },
  ])
  service.status = 200
  await site.storage.moveClock(60_000)
  await runDue(site)
  expect(found()).toEqual(['/notes'])
})

test('the command fills an empty service', async () => {
  const service = await createSearchService()
  const program = await createSite()
  const site = await createTestApp({ storage: program.storage })
  for (let at = 0; at < 101; at++) await addPage(site, '', { slug: `note-${at}`, status: 'listed' })
  await addPage(site, await addPage(site, '', { slug: 'notes', status: 'unlisted' }), { slug: 'ink', status: 'listed' })
  await addPage(site, '', { slug: 'plan' })
  mkdirSync(join(program.folder, 'extensions'))
  cpSync(join(import.meta.dirname, 'search-push.ts'), join(program.folder, 'extensions/search-push.ts'))
  writeFileSync(
    join(program.folder, 'quoin.config.ts'),
    `import { searchPush } from './extensions/search-push.ts'
     export default { extensions: [searchPush({ url: '${service.url}', key: 'secret' })] }`,
  )
  const run = ['extension', 'run', 'search-push', 'backfill', '--site', program.folder]
  expect(await spawnQuoin(run, program)).toMatchObject({ code: 0, stderr: '' })
  expect(service.documents.size).toBe(103)
  expect(service.requests).toBe(3)
})

test('the guide shows this extension', () => {
  const sample = filesIn('docs/guide/extending.md')['extensions/search-push.ts']
  const code = readFileSync(join(import.meta.dirname, 'search-push.ts'), 'utf8')
  expect(sample).toBe(`// extensions/search-push.ts\n${code}`)
})
