/**
 * Browser profiles. A new one for each page costs a second of CPU time, because windows, processes, connections and
 * compiled scripts begin anew. So each worker empties its profiles and uses them again. The slow run always has new ones.
 */
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'
import { isSlow } from './slow.ts'

export interface Appearance {
  theme: 'light' | 'dark'
  width: number
  height: number
  /** The preferred language of the browser: `de`, `ar`. */
  language: string
}

export interface Profile {
  context: BrowserContext
  page: Page
  language: string
  devtools: CDPSession
  /** A test has changed something that cannot be reset. */
  isAltered: boolean
}

/** Timeout of every wait of Playwright, in ms. It is only for code that hangs: a busy machine may be slow. */
export const waitMs = 120_000

let connected: Promise<Browser> | undefined

/** One Chromium for the whole run, see `test/panel.ts`. */
const browser = () => (connected ??= chromium.connect(inject('chromium')))

const idle: Profile[] = []

/** An empty profile with one page. */
export async function takeProfile({ theme, width, height, language }: Appearance): Promise<Profile> {
  const index = idle.findIndex(profile => profile.language === language)
  const profile = idle.splice(index, index < 0 ? 0 : 1)[0] ?? (await createProfile(language))
  profile.page.setDefaultTimeout(waitMs)
  await profile.page.setViewportSize({ width, height })
  await profile.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  return profile
}

async function createProfile(language: string): Promise<Profile> {
  const context = await (await browser()).newContext({ locale: language })
  const page = await context.newPage()
  const profile = { context, page, language, devtools: await context.newCDPSession(page), isAltered: false }
  markAlteredBy(profile, page, 'addInitScript', 'exposeBinding', 'exposeFunction', 'setExtraHTTPHeaders')
  markAlteredBy(profile, context, 'addInitScript', 'exposeBinding', 'exposeFunction', 'setExtraHTTPHeaders')
  markAlteredBy(profile, context, 'newCDPSession', 'grantPermissions')
  markAlteredBy(profile, page.clock, 'install', 'setFixedTime', 'setSystemTime')
  return profile
}

/** Marks the profile as altered when one of these methods is called. */
function markAlteredBy<Target extends object>(profile: Profile, target: Target, ...methods: (keyof Target & string)[]) {
  for (const name of methods) {
    const method = target[name] as (...args: unknown[]) => unknown
    const wrapped = (...args: unknown[]) => {
      profile.isAltered = true
      return method.apply(target, args)
    }
    Object.assign(target, { [name]: wrapped })
  }
}

/** Empties the profile for the next test, or closes it if that is not possible. */
export async function returnProfile(profile: Profile): Promise<void> {
  if (!isSlow && !profile.isAltered && (await empty(profile))) idle.push(profile)
  else await profile.context.close()
}

/** Events whose listeners are removed. Playwright itself listens to other ones. */
const events = ['console', 'dialog', 'pageerror', 'request', 'response']

/** An empty page of the origin of the panel, with the same opener policy, so that Chromium keeps the renderer process. */
const emptyPage = {
  headers: { 'content-type': 'text/html', 'cross-origin-opener-policy': 'same-origin' },
  body: '<!doctype html><title>Empty</title><link rel="icon" href="data:," />',
}

/** False if that was not possible. */
async function empty({ context, page, devtools }: Profile): Promise<boolean> {
  try {
    for (const other of context.pages()) if (other !== page) await other.close()
    for (const event of events) page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    const { origin } = new URL(page.url())
    await page.route(`${origin}/empty`, route => route.fulfill(emptyPage))
    await page.goto(`${origin}/empty`)
    await page.unrouteAll()
    await page.evaluate('sessionStorage.clear()')
    await page.mouse.move(-1, -1)
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    await devtools.send('Page.resetNavigationHistory')
    await context.clearCookies()
    return true
  } catch {
    return false
  }
}
