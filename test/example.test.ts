/** The front end in examples/notes, against the site that it is written for. `front-end.ts` has the others. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { html } from '../examples/notes/src/html.ts'
import { renderPages } from '../examples/notes/src/pages.ts'
import { pagesFrom } from '../examples/notes/src/plugin.ts'
import { connect } from '../examples/notes/src/site.ts'
import { openBlueprints } from '../src/blueprints/open.ts'
import { importSiteFolder } from '../src/cli/initial-import/initial-import.ts'
import { typingsOf } from '../src/transfer/typings/typings.ts'
import { addUser, beforeCleanUp, createTestApp, engine } from './harness.ts'
import { createStarterStorage, starter } from './starter.ts'
import { addToken } from './tokens.ts'

const example = join(import.meta.dirname, '../examples/notes')

/** The pages of the front end, for the content of the starter and these further notes, by their folders. */
async function pagesWith(notes: Record<string, string> = {}): Promise<Map<string, string>> {
  const storage = await createStarterStorage()
  for (const [name, text] of Object.entries(notes)) {
    const folder = join(storage.data, 'content/1_notes', name)
    mkdirSync(folder)
    writeFileSync(join(folder, 'note.txt'), text)
  }
  const site = await createTestApp({ storage })
  await importSiteFolder(site.app)
  const { id } = await addUser(site, { hash: null })
  const { token } = await addToken(site.app, { userId: id, name: 'front end', scopes: ['published'] })
  const fetch = async (url: string, { headers }: RequestInit) => {
    const answer = await site.request({
      url: url.replace(new URL(url).origin, ''),
      headers: { host: new URL(url).host, ...(headers as Record<string, string>) },
    })
    return new Response(answer.body, { status: answer.statusCode })
  }
  return renderPages(connect({ url: site.app.config.url, token, fetch }))
}

test.each(['notes', 'notes-astro', 'notes-next'])(
  'the example has the types of the starter: npx quoin types starter --out examples/%s/quoin.types.ts',
  name => {
    const written = readFileSync(join(example, '..', name, 'quoin.types.ts'), 'utf8')
    expect(written).toBe(typingsOf(openBlueprints(starter)))
  },
)

test('the example shows the notes of the starter, with responsive images, and Vite builds it', async () => {
  const pages = await pagesWith()
  expect([...pages.keys()]).toEqual([
    '/',
    '/notes/sheets-on-a-line/',
    '/notes/ink-in-winter/',
    '/notes/what-a-quoin-is/',
  ])
  const note = pages.get('/notes/what-a-quoin-is/')!
  expect(note).toContain('<title>What a quoin is – A small press</title>')
  expect(note).toContain('<h2>How it works</h2>')
  expect(note).toMatch(/srcset="http[^"]+locked-256x\.png 256w, [^"]+locked-1024x\.png 1024w"/)
  expect(note).toContain('<figcaption>Green slides against red, and the page is tight</figcaption>')
  expect(note).toContain('<a href="/notes/sheets-on-a-line/">Sheets on a line</a>')
  expect([...pages.values()].join('')).not.toMatch(/undefined|\[object|\/@\/page/)
  if (engine === 'sqlite') await mustBuild(pages)
})

test('links lead to the paths of pages, also if an imported uuid has a hyphen', async () => {
  const pages = await pagesWith({
    '20260101_one': 'Title: One\n----\nDate: 2026-01-01\n----\nUuid: made-by-hand',
    '20260102_two':
      'Title: Two\n----\nDate: 2026-01-02\n----\nIntro: <a href="/@/page/made-by-hand">one</a>, <a href="/@/page/gone">two</a>',
  })
  expect(pages.get('/notes/two/')).toContain('<a href="/notes/one/">one</a>, <a href="/">two</a>')
})

async function mustBuild(pages: ReadonlyMap<string, string>): Promise<void> {
  const { build } = await import('vite')
  const outDir = mkdtempSync(join(tmpdir(), 'quoin-example-'))
  beforeCleanUp(async () => rmSync(outDir, { recursive: true, force: true }))
  await build({
    root: example,
    configFile: false,
    logLevel: 'silent',
    plugins: [pagesFrom(async () => pages)],
    build: { outDir, emptyOutDir: true },
  })
  const built = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter(name => name.includes('.'))
  expect(built.toSorted()).toEqual([
    expect.stringMatching(/^assets\/style-.+\.css$/),
    'index.html',
    'notes/ink-in-winter/index.html',
    'notes/sheets-on-a-line/index.html',
    'notes/what-a-quoin-is/index.html',
  ])
  expect(readFileSync(join(outDir, 'index.html'), 'utf8')).toMatch(/href="\/assets\/style-/)
}

test('content is shown as text', () => {
  expect(html`<p title="${'"x"'}">${'<script>'}${html`<b>${"it's & so"}</b>`}${undefined}</p>`.html).toBe(
    '<p title="&#34;x&#34;">&#60;script&#62;<b>it&#39;s &#38; so</b></p>',
  )
})
