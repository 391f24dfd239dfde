/** The panel in a real browser: a fresh site, served over a real port, and Chromium looking at it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterEach, beforeEach, expect, inject } from 'vitest'
import { createServer } from '../src/server.ts'
import { freePort } from '../tools/free-port.ts'
import {
  addUser,
  type AppSetup,
  beforeCleanUp,
  createTestApp,
  password,
  type TestApp,
  type TestUser,
} from './harness.ts'
import { isSlow } from './slow.ts'

let connected: Promise<Browser> | undefined

/** One Chromium for the whole run (see `test/panel.ts`); every page has a profile of its own. */
const browser = () => (connected ??= chromium.connect(inject('chromium')))

type Account = Awaited<ReturnType<typeof addUser>>

export interface PageOptions {
  /** Below `/panel`: `/site`, `/pages/notes`. */
  at?: string
  /** Signed in as somebody who exists, or as somebody new. */
  as?: Account | TestUser
  theme?: 'light' | 'dark'
  width?: number
  height?: number
  /** What the browser asks for: `de`, `ar`. */
  language?: string
  /** Instead of waiting for the panel to have drawn something. */
  wait?: 'commit'
}

export interface Panel {
  site: TestApp
  /** Where the panel is: `http://localhost:1234/panel`. */
  url: string
  /** A page in a browser profile of its own. */
  open(options?: PageOptions): Promise<Page>
  /** What may stand in the console of the test that is running, which otherwise fails. */
  expectProblem(text: RegExp): void
}

export interface PanelSetup extends AppSetup {
  /** Below which path the site is served: `/cms`. */
  base?: string
}

/** Call it once, at the top of a test file. Pages are closed after every test, and what their consoles say is a failure. */
export async function openPanel({ base = '', settings, ...setup }: PanelSetup = {}): Promise<Panel> {
  // Without a browser all others still run; `test/panel.ts` says so at the end.
  beforeEach(({ skip }) => {
    if (inject('chromium') === '') skip()
  })
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const url = `${origin}${base}/panel`
  const site = await createTestApp({ ...setup, settings: { url: origin + base, ...settings } })
  const server = createServer(site.app)
  await server.listen({ host: '127.0.0.1', port })
  beforeCleanUp(() => server.close())

  const problems: string[] = []
  const expected: RegExp[] = []
  const pages: Page[] = []
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close()
    const found = problems.splice(0).filter(text => !expected.some(pattern => pattern.test(text)))
    expected.length = 0
    expect(found, 'the console of the page').toEqual([])
  })

  async function open({
    at = '',
    as,
    theme = 'light',
    width = 1280,
    height = 800,
    language = 'en',
    wait,
  }: PageOptions = {}) {
    const look: BrowserContextOptions = {
      colorScheme: theme,
      viewport: { width, height },
      locale: language,
      reducedMotion: 'reduce',
    }
    const context = await (await browser()).newContext(look)
    if (as) {
      const { email } = 'id' in as ? as : await addUser(site, as)
      const data = { email, password: ('password' in as ? as.password : undefined) ?? password }
      const answer = await context.request.post(`${origin}${base}/api/auth/login`, { data })
      expect(answer.status(), 'the sign-in of the test').toBe(200)
    }
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    pages.push(page)
    page.on('pageerror', error => problems.push(String(error)))
    page.on('console', message => {
      // Answers that refuse something are part of many tests; what the panel makes of them is what counts.
      const isAnswer = message.text().startsWith('Failed to load resource')
      if (['error', 'warning'].includes(message.type()) && !isAnswer) problems.push(message.text())
    })
    await page.goto(url + at, { waitUntil: wait ?? 'load' })
    if (!wait) await page.locator('#root > *').first().waitFor()
    return page
  }

  return { site, url, open, expectProblem: text => void expected.push(text) }
}

// ---- accessibility

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[]
}

/** What screens that have been looked at are made of. */
const checked = new Set<string>()

/**
 * Fails with what axe finds: WCAG 2.2 A and AA, and what is agreed to be good practice. A screen that is made of the same elements as
 * one before, in the same theme and width, is looked at again in the slow run only.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await settled(page)
  const screen = await page.evaluate<string>(elements)
  if (!isSlow && checked.has(screen)) return
  await mustBeAccessible(page)
  checked.add(screen)
}

/** The kinds of elements, by all that decides how they look and what they are to a screen reader, but not what they say. */
const elements = `JSON.stringify([document.documentElement.dir, matchMedia('(prefers-color-scheme: dark)').matches, innerWidth,
  [...new Set([...document.querySelectorAll('*')].map(element => element.tagName + [...element.attributes]
    .map(({ name, value }) => ['class', 'role', 'type', 'style'].includes(name) ? name + value : name).sort().join()))].sort()])`

async function mustBeAccessible(page: Page): Promise<void> {
  let found = await violationsIn(page)
  if (found.length > 0) {
    // The screen before may have been going just then. What is wrong with a screen stays wrong.
    await page.waitForTimeout(500)
    found = await violationsIn(page)
  }
  expect(found, `axe on ${page.url()}`).toEqual([])
}

/** Not while it is being drawn, or fades in: every screen has a heading, and movement ends. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.evaluate(
    `Promise.all(document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < 2000)
      .map(({ finished }) => finished.catch(() => {}))).then(() => {})`,
  )
}

async function violationsIn(page: Page): Promise<string[]> {
  await settled(page)
  await page.evaluate(axe)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  // Menus and lists of options lie above the page, not in a part of it.
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] }).then(({ violations }) => ({
      violations: violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes
        .filter(({ target }) => id !== 'region' || !document.querySelector(target[0])?.closest('[role=menu], [role=listbox]'))
        .map(({ html, failureSummary }) => ({ html, failureSummary })) })),
    }))`,
  )) as AxeResult
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html.slice(0, 200)}\n${failureSummary}`),
  )
}

/** Nothing is cut off or has to be moved sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  // What was just made narrow is drawn anew first.
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), {
      message: 'pixels that are out of sight',
    })
    .toBeLessThanOrEqual(0)
}

// ---- passkeys

/** An authenticator without a screen, as the browser itself brings it. It says yes to everything. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
