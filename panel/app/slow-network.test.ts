/**
 * What a slow connection costs, without measuring time: bytes, sequential round trips, and
 * layout shifts. `QUOIN_TEST_NETWORK=true` measures it in seconds, for `bench/results.md`.
 */
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage } from '../../test/pages.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/article.yml': `title: Article
columns:
  - width: 2/3
    fields:
      intro: { type: textarea, label: Introduction }
      text: { type: blocks, label: Text }
      more: { type: writer, label: More }
  - width: 1/3
    sections:
      meta: { type: fields, fields: { date: { type: date, label: Date }, tags: { type: tags, label: Tags } } }
      pages: { type: pages, label: Pages }
      files: { type: files, label: Files }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
await addPage(site, '', {
  slug: 'article',
  title: 'Article',
  template: 'article',
  content: {
    intro: 'Some words',
    text: [{ id: 'one', type: 'text', isHidden: false, content: { text: '<p>First</p>' } }],
    more: '<p>More words</p>',
  },
  draft: true,
})

/** The frame of the panel with its navigation, and the form with its last text. */
const shell = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Site' })
const editor = (page: Page) => page.locator('.ProseMirror', { hasText: 'More words' })

const shifts = `new Promise(done => {
  new PerformanceObserver(list =>
    done(list.getEntries().filter(entry => !entry.hadRecentInput).reduce((sum, { value }) => sum + value, 0)),
  ).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => done(0), 500)
})`

/** A page in a browser that has used the panel before. */
async function begin() {
  const page = await panel.open({ as: admin, at: '/account' })
  await shell(page).waitFor()
  await page.goto('about:blank')
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  return { page, session }
}

test('the shell and the editor load with few bytes and round trips, and without layout shifts', async () => {
  const { page, session } = await begin()
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  const waiting: Route[] = []
  let rounds = 1
  // The page itself is the first round trip; the rest waits for the next ones.
  // The updates of others are requested some time later, whether the editor is there or not: they get no answer here.
  const ofUpdates = /\/assets\/(live|live-state|events)-|\/api\/site\/presence/
  await page.route('**/*', route => {
    if (route.request().isNavigationRequest()) return route.continue()
    if (!ofUpdates.test(route.request().url())) waiting.push(route)
    return undefined
  })
  await page.addInitScript(`
    let isThere = false
    window.navigationGone = 0
    requestAnimationFrame(function look() {
      const isNow = document.querySelector('nav') !== null
      if (isThere && !isNow) window.navigationGone += 1
      isThere = isNow
      requestAnimationFrame(look)
    })
  `)
  await page.goto(`${panel.url}/pages/article`, { waitUntil: 'commit' })
  const loads: Record<string, { rounds: number; bytes: number }> = {}
  while (!loads['editor'] && rounds < 30) {
    // When the page is idle, every request that needs no other response has been sent. On a busy machine it is idle
    // between the parts of its work, too.
    for (let [idle, lastCount] = [0, waiting.length]; idle < 3; lastCount = waiting.length) {
      await page.waitForTimeout(150)
      await page.evaluate('new Promise(done => setTimeout(done))')
      idle = lastCount === waiting.length ? idle + 1 : 0
    }
    if (await editor(page).isVisible()) loads['editor'] ??= { rounds, bytes }
    if (waiting.length === 0) continue
    rounds += 1
    const released = waiting.splice(0)
    // The shell does not wait for requests after its own code: the router, and the screen in it.
    const next = released.findIndex(route => route.request().url().includes('/assets/app-'))
    await Promise.all(released.splice(0, next === -1 ? Infinity : next).map(route => route.continue()))
    if (next !== -1) {
      await shell(page).waitFor()
      loads['shell'] = { rounds: next === 0 ? rounds - 1 : rounds, bytes }
      await Promise.all(released.map(route => route.continue()))
    }
  }
  if (process.env['QUOIN_TEST_NETWORK'] === 'true') console.log(loads) // oxlint-disable-line no-console -- requested by the variable
  // The page; then its code, together with the session.
  expect(loads['shell']!.rounds).toBeLessThanOrEqual(2)
  expect(loads['shell']!.bytes).toBeLessThanOrEqual(100_000)
  expect(loads['editor']!.rounds).toBeLessThanOrEqual(5)
  expect(loads['editor']!.bytes).toBeLessThanOrEqual(435_000)
  // The shell that is drawn before the router is loaded stays on the screen when it is.
  expect(await page.evaluate('window.navigationGone')).toBe(0)
  await page.waitForTimeout(500)
  expect(await page.evaluate(shifts)).toBeLessThan(0.05)
})

const slow = { offline: false, latency: 400, downloadThroughput: 62_500, uploadThroughput: 62_500 }

test.runIf(process.env['QUOIN_TEST_NETWORK'] === 'true')(
  'the panel loads quickly at 500 kbit/s and 400 ms',
  async () => {
    const { page, session } = await begin()
    await session.send('Network.emulateNetworkConditions', slow)
    const start = performance.now()
    void page.goto(`${panel.url}/pages/article`, { waitUntil: 'commit' })
    await shell(page).waitFor({ timeout: 60_000 })
    const shown = performance.now() - start
    await editor(page).waitFor({ timeout: 60_000 })
    const edited = performance.now() - start
    await page.waitForTimeout(2000)
    console.log({ shell: shown, editor: edited, cls: await page.evaluate(shifts) }) // oxlint-disable-line no-console -- requested by the variable
  },
)

test.runIf(process.env['QUOIN_TEST_NETWORK'] === 'true')(
  'a first visit loads quickly at 500 kbit/s and 400 ms',
  async () => {
    const page = await panel.open({ at: '/account' })
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    await session.send('Network.emulateNetworkConditions', slow)
    const start = performance.now()
    void page.goto(`${panel.url}/pages/article`, { waitUntil: 'commit' })
    await page.getByLabel('Password', { exact: true }).waitFor({ timeout: 60_000 })
    console.log({ signIn: performance.now() - start }) // oxlint-disable-line no-console -- requested by the variable
  },
)
