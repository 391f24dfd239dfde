/** Takes the screenshots of the guide. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { type Screenshot, screenshots, type Variant } from './screenshots.ts'
import { noon, openSite, type Site } from './site.ts'

/** Saves a screenshot of the page under this name. */
export type Take = (name: string, page: Page) => Promise<void>

const widths = [
  { viewport: { width: 1280, height: 800 }, variants: ['light', 'dark'] },
  { viewport: { width: 390, height: 844 }, variants: ['narrow'] },
] as const

const nameOf = (name: string, variant: Variant): string => (variant === 'light' ? name : `${name}-${variant}`)

/** The names of all screenshots: `site`, `site-dark`, `site-narrow`. */
export const names = screenshots.flatMap(({ name, variants }) => variants.map(variant => nameOf(name, variant)))

export interface Options {
  /** The device scale factor: each CSS pixel becomes `scale` × `scale` pixels. */
  scale?: number
  /** The preferred port of the site, which some screenshots show. */
  port?: number
}

export async function takeScreenshots(
  browser: Browser,
  take: Take,
  { scale = 1, port = 0 }: Options = {},
): Promise<void> {
  const site = await openSite(port)
  const contexts: BrowserContext[] = []
  const open = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      deviceScaleFactor: scale,
      ...options,
    })
    contexts.push(context)
    await context.clock.setFixedTime(noon)
    return context
  }
  try {
    const cookies = await signIn(await open(), site)
    await Promise.all(
      widths.map(async ({ viewport, variants }) => {
        const context = await open({ viewport })
        const page = await context.newPage()
        page.setDefaultTimeout(20_000)
        for (const screenshot of screenshots) {
          const ofThisWidth = variants.filter(variant => screenshot.variants.includes(variant))
          if (ofThisWidth.length === 0) continue
          await (screenshot.anonymous ? context.clearCookies() : context.addCookies(cookies))
          await openScreen(page, site, screenshot)
          for (const variant of ofThisWidth) {
            await page.emulateMedia({ colorScheme: variant === 'dark' ? 'dark' : 'light' })
            await take(nameOf(screenshot.name, variant), page)
          }
          await screenshot.close?.(page)
        }
      }),
    )
  } finally {
    for (const context of contexts) await context.close()
    await site.close()
  }
}

/** Called once, because a TOTP code works only once. */
export async function signIn(context: BrowserContext, { url, credentials }: Site) {
  const answer = await context.request.post(new URL('/api/auth/login', url).href, { data: credentials() })
  if (!answer.ok()) throw new Error(`Sign-in failed: ${await answer.text()}`)
  return context.cookies()
}

async function openScreen(page: Page, { url }: Site, { name, at, title, prepare }: Screenshot): Promise<void> {
  try {
    await page.emulateMedia({ colorScheme: 'light' })
    await go(page, url + at)
    await page.locator('h1', { hasText: title }).waitFor({ state: 'attached' })
    await prepare(page)
    await waitUntilLoaded(page)
  } catch (error) {
    throw new Error(`The screen of the screenshot "${name}" did not open.`, { cause: error })
  }
}

/** Navigates inside the panel, without loading it again for each screenshot. */
async function go(page: Page, address: string): Promise<void> {
  const frame = page.locator('#content')
  if ((await frame.count()) === 0) return void (await page.goto(address))
  await page.keyboard.press('Escape') // closes what the previous screenshot has opened
  await page.locator('[role=dialog]').waitFor({ state: 'detached' })
  await page.evaluate(`document.activeElement?.blur(); history.pushState({}, '', ${JSON.stringify(address)})`)
}

/** Waits until loading has ended and visible images are decoded, and moves the pointer away. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.mouse.move(0, 0)
  await page.locator('.waiting').first().waitFor({ state: 'detached' })
  await page.evaluate(
    `Promise.all([...document.images].filter(image => image.checkVisibility() && image.getBoundingClientRect().top < innerHeight)
      .map(image => image.decode().catch(() => {}))).then(() => {})`,
  )
}
