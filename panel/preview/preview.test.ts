import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { beforeCleanUp, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

/** A front end: reads the page with the pass in its address, and uses `quoin/preview`. */
let cms = ''
let frameOptions: string | undefined
const module = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, '../../preview/preview.ts'), 'utf8'))
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, 'http://front.end')
  if (pathname === '/preview.js') return void response.setHeader('content-type', 'text/javascript').end(module)
  const pass = searchParams.get('preview')
  const headers = pass === null ? {} : { authorization: `Bearer ${pass}` }
  const address = `${cms}/api/pages${pathname}${pass === null ? '' : '?version=changes'}`
  const { data } = (await (await fetch(address, { headers })).json()) as {
    data?: { editable?: string; content: { text: string } }
  }
  if (frameOptions !== undefined) response.setHeader('x-frame-options', frameOptions)
  const mark = data?.editable === undefined ? '' : `data-quoin="${data.editable}#text"`
  response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Front end</title><main>
    <h1 style="margin-bottom: 2000px">Notes</h1><p ${mark}>${data?.content.text ?? 'Not found'}</p></main>
    <script type="module">
      import { preview } from '/preview.js'
      preview({ panel: '${cms}', refresh: async () => {
        const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html')
        document.querySelector('main').replaceWith(page.querySelector('main'))
      } })
    </script>`)
}
const frontEnd = createServer((request, response) => void serve(request, response))
await new Promise<void>(resolve => void frontEnd.listen(0, '127.0.0.1', resolve))
beforeCleanUp(async () => void frontEnd.close())
const address = `http://localhost:${(frontEnd.address() as AddressInfo).port}`

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/default.yml': `
tabs:
  first: { label: First, fields: { intro: { type: text } } }
  second: { label: Second, fields: { text: { type: text } } }
`,
})
const panel = await openPanel({ storage, settings: { site: { url: address }, api: { public: true } } })
cms = new URL(panel.url).origin
await addPage(panel.site, '', { slug: 'notes', title: 'Notes', content: { text: 'Old words' }, draft: false })

test('what is typed is in the preview beside the form, and not on the public page', async () => {
  const page = await panel.open({ as: { role: 'admin' }, at: '/pages/notes?tab=second' })
  await page.setViewportSize({ width: 1600, height: 900 })
  await page.getByRole('button', { name: 'Preview' }).click()
  const frame = page.frameLocator('iframe[title="Preview of Notes"]')
  await frame.getByText('Old words').waitFor()
  panel.expectProblem(/postMessage/) // axe asks the frame, which has another origin
  await expectAccessible(page)
  await page.getByLabel('Text').fill('New words')
  await frame.getByText('New words').waitFor()
  expect(await (await fetch(`${address}/notes`)).text()).toContain('Old words')

  // A click in the preview focuses the field, in another tab of the form, too; focusing the field scrolls the preview.
  await page.getByRole('tab', { name: /First/ }).click()
  await frame.getByText('New words').click()
  await expect.poll(() => page.getByLabel('Text').evaluate(field => field === document.activeElement)).toBe(true)
  await frame.locator('html').evaluate(root => root.scrollTo({ top: 0, behavior: 'instant' }))
  await page.getByRole('button', { name: 'Load again' }).focus()
  await page.getByLabel('Text').focus()
  await expect.poll(() => frame.locator('html').evaluate(root => root.scrollTop)).toBeGreaterThan(100)

  await page.setViewportSize({ width: 360, height: 700 })
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Close preview' }).click()
  await page.getByLabel('Text').waitFor()
})

test.runIf(isSlow)('if the front end refuses to be framed, the panel names the header', async () => {
  panel.expectProblem(/Refused to display/)
  frameOptions = 'DENY'
  const page = await panel.open({ as: { role: 'admin' }, at: '/pages/notes' })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText(/X-Frame-Options: DENY/).waitFor({ timeout: 30_000 })
  frameOptions = undefined
})
