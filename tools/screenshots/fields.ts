/** Takes a screenshot of each field type for the guide. */
import type { Browser, Page } from 'playwright-core'
import { fieldSamples } from './field-samples.ts'
import { noon, openSite } from './site.ts'
import { waitUntilLoaded, signIn } from './take.ts'

/** Space around a field, in pixels. */
const margin = 12

/** Calls `take` with each type and with what takes the screenshot of its field. */
export async function takeFieldScreenshots(
  browser: Browser,
  take: (type: string, field: Pick<Page, 'screenshot'>) => Promise<void>,
  { scale = 1 }: { scale?: number } = {},
): Promise<void> {
  const site = await openSite(0)
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    deviceScaleFactor: scale,
    viewport: { width: 900, height: 1200 },
  })
  try {
    await context.clock.setFixedTime(noon)
    await context.addCookies(await signIn(context, site))
    const page = await context.newPage()
    await page.goto(`${site.url}/pages/field-types`)
    for (const { type, name } of fieldSamples()) {
      const field = page.locator(`[data-field="${name}"]`)
      await field.evaluate(element => element.scrollIntoView({ block: 'center' }))
      await waitUntilLoaded(page)
      const { x, y, width, height } = (await field.boundingBox())!
      const clip = { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin }
      await take(type, { screenshot: options => page.screenshot({ ...options, clip }) })
    }
  } finally {
    await context.close()
    await site.close()
  }
}
