/** The panel in a real browser: a new site on a real port, opened in Chromium. */
import { createHash, randomInt } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterEach, beforeEach, expect, inject } from 'vitest'
import { freePort } from '../tools/free-port.ts'
import { addUser, type AppSetup, createTestApp, password, type TestApp, type TestUser } from './harness.ts'
import { type Appearance, type Profile, returnProfile, takeProfile, waitMs } from './profiles.ts'
import { isSlow } from './slow.ts'

type Account = Awaited<ReturnType<typeof addUser>>

export interface PageOptions extends Partial<Appearance> {
  /** Below `/panel`: `/site`, `/pages/notes`. */
  at?: string
  /** Signs in with this account, or with a new one. */
  as?: Account | TestUser
  /** Waits only for the response, not until the panel has rendered. */
  wait?: 'commit'
}

export interface Panel {
  site: TestApp
  /** The URL of the panel: `http://localhost:1234/panel`. */
  url: string
  /** A page in a browser profile of its own. */
  open(options?: PageOptions): Promise<Page>
  /** Allows a console message in the current test, which would fail it otherwise. */
  expectProblem(text: RegExp): void
}

export interface PanelSetup extends AppSetup {
  /** The base path of the site: `/cms`. */
  base?: string
}

/**
 * Every site of a worker has the same port, so that the browser has the files of the panel in its cache. It is below those
 * that systems choose for programs that ask for any port: nobody takes it before the site listens.
 */
let port = randomInt(15_000, 30_000)

/**
 * Call it once, at the top of a test file. Pages are closed after every test; console errors and warnings fail the
 * test.
 */
export async function openPanel({ base = '', settings, ...setup }: PanelSetup = {}): Promise<Panel> {
  // Without a browser only these tests are skipped; `test/panel.ts` reports it at the end.
  beforeEach(({ skip }) => {
    if (inject('chromium') === '') skip()
  })
  port = await freePort(port)
  const origin = `http://localhost:${port}`
  const url = `${origin}${base}/panel`
  const site = await createTestApp({ ...setup, settings: { url: origin + base, ...settings } })
  await site.listen(port)

  const problems: string[] = []
  const expected: RegExp[] = []
  const profiles: Profile[] = []
  afterEach(async ({ task }) => {
    for (const profile of profiles.splice(0)) {
      profile.isAltered ||= task.result?.state === 'fail'
      await returnProfile(profile)
    }
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
    const profile = await takeProfile({ theme, width, height, language })
    profiles.push(profile)
    const { context, page } = profile
    if (as) {
      const { email } = 'id' in as ? as : await addUser(site, as)
      const data = { email, password: ('password' in as ? as.password : undefined) ?? password }
      // Repeated if the server has just closed the idle connection.
      const options = { data, maxRetries: 3, timeout: waitMs }
      const answer = await context.request.post(`${origin}${base}/api/auth/login`, options)
      expect(answer.status(), 'the sign-in of the test').toBe(200)
    }
    page.on('pageerror', error => problems.push(String(error)))
    page.on('console', message => {
      // Many tests expect error responses. Chromium logs them, but only the reaction of the panel matters.
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

/** Fingerprints of what has been checked, as files, because all workers share them. */
const fileOf = (fingerprint: string) =>
  join(inject('checkedScreens'), createHash('sha1').update(fingerprint).digest('hex'))
const isChecked = (fingerprint: string) => existsSync(fileOf(fingerprint))

/**
 * Fails if axe finds violations of WCAG 2.2 A and AA or of its best practices. Screens, dialogs and menus with the same
 * elements as earlier ones, in the same theme and width, are checked again only in the slow run.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await settled(page)
  const [screen = '', ...layers] = await page.evaluate<string[]>(fingerprints)
  // axe skips a screen that a dialog covers, so it is checked again without the dialog.
  const isCovered = await page.locator('#root:is([aria-hidden], [inert])').count()
  const checkedScreen = isCovered ? `covered ${screen}` : screen
  if (isSlow || !(isChecked(screen) || isChecked(checkedScreen))) await mustBeAccessible(page, 'document')
  else {
    const fresh = layers.flatMap((layer, index) => (isChecked(layer) ? [] : [[`body > :nth-child(${index + 2})`]]))
    if (fresh.length > 0) await mustBeAccessible(page, JSON.stringify({ include: fresh }))
  }
  for (const one of [checkedScreen, ...layers]) writeFileSync(fileOf(one), '')
}

/**
 * One fingerprint for the screen and one for each layer above it: tag names and attributes that affect appearance and
 * accessibility, without texts and without what an open dialog or menu adds to the screen.
 */
const fingerprints = `[...document.body.children].map(layer =>
  JSON.stringify([document.documentElement.dir, matchMedia('(prefers-color-scheme: dark)').matches, innerWidth,
    [...new Set([layer, ...layer.querySelectorAll('*')].map(element => element.tagName + [...element.attributes]
      .filter(({ name }) => !/^(aria-hidden|inert|data-base-ui-.*|data-popup-open|aria-expanded|id|aria-controls|aria-owns)$/.test(name))
      .map(({ name, value }) => ['class', 'role', 'type', 'style'].includes(name) ? name + value : name).sort().join()))].sort()]))`

async function mustBeAccessible(page: Page, context: string): Promise<void> {
  let found = await violationsIn(page, context)
  // The previous screen may still be disappearing, or the next one loading. Real violations remain.
  for (let tries = 0; found.length > 0 && tries < 5; tries++) {
    await page.waitForTimeout(500)
    found = await violationsIn(page, context)
  }
  expect(found, `axe on ${page.url()}`).toEqual([])
}

/** Waits until the screen has a heading and animations have ended. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.evaluate(
    `Promise.all(document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < 2000)
      .map(({ finished }) => finished.catch(() => {}))).then(() => {})`,
  )
}

/** The context is a JavaScript expression: what axe checks. */
async function violationsIn(page: Page, context: string): Promise<string[]> {
  await settled(page)
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  // Menus and listboxes are rendered above the page, outside of its landmarks, so the rule `region` does not apply.
  const { violations } = await page.evaluate<AxeResult>(
    `axe.run(${context}, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'], preload: false }).then(({ violations }) => ({
      violations: violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes
        .filter(({ target }) => id !== 'region' || !document.querySelector(target[0])?.closest('[role=menu], [role=listbox]'))
        .map(({ html, failureSummary }) => ({ html, failureSummary })) })),
    }))`,
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html.slice(0, 200)}\n${failureSummary}`),
  )
}

/** Fails if the page scrolls horizontally. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  // Polls, because the layout may not have been updated yet after a resize.
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), {
      message: 'pixels that are out of sight',
    })
    .toBeLessThanOrEqual(0)
}

// ---- drafts

/** The bar with the unpublished changes. */
export const changesBar = (page: Page): Locator => page.getByRole('region', { name: 'Changes' })

/**
 * Publishes with the keyboard, or saves a draft page, and waits until it is done. Without changes, the shortcut would do
 * nothing.
 */
export async function publishChanges(page: Page): Promise<void> {
  const discard = changesBar(page).getByRole('button', { name: 'Discard changes' })
  await discard.waitFor()
  await page.keyboard.press('Control+s')
  await discard.waitFor({ state: 'detached' })
}

// ---- focus

/** Moves the caret of an editor key by key: it learns of the caret's place by an event, later than the key. */
export async function moveCaret(page: Page, offset: number): Promise<void> {
  const step = async () => {
    const place = await page.evaluate<number>('getSelection().anchorOffset')
    if (place !== offset) await page.keyboard.press(place < offset ? 'ArrowRight' : 'ArrowLeft')
    return place
  }
  await expect.poll(step).toBe(offset)
}

/** Waits until the element has the focus: keys that are pressed earlier go to another one. */
export async function expectFocused(element: Locator): Promise<void> {
  await expect
    .poll(() => element.evaluate(one => one.matches(':focus')), { message: `the focus in ${String(element)}` })
    .toBe(true)
}

// ---- passkeys

/** A virtual authenticator of Chromium. It confirms every request. */
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

/** The titles that a confirmation dialog shows, from a click on its last button until it is gone. */
export async function titlesWhileClosing(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.getByRole('alertdialog').waitFor()
  return page.evaluate(`new Promise(resolve => {
    const heading = document.querySelector('[role=alertdialog] h2')
    const seen = new Set([heading.textContent])
    const watch = () => {
      if (!heading.isConnected) return resolve([...seen])
      seen.add(heading.textContent)
      requestAnimationFrame(watch)
    }
    watch()
    document.querySelector('[role=alertdialog] footer button:last-child').click()
  })`)
}
