import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { findChromium } from '../tools/chromium.ts'
import { ensurePanel } from '../tools/panel.ts'

declare module 'vitest' {
  interface ProvidedContext {
    chromium: string
  }
}

/** What every window of Chromium would load for nobody to see, and what stands in the way of tests. */
const unneeded = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
]

/** Runs once, before all tests of the panel: it is built, and a browser is started for all of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await ensurePanel()
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [] // Chromium refuses to be root otherwise
  const server = await chromium.launchServer({
    executablePath: findChromium(),
    args: [...asRoot, `--disable-features=${unneeded.join(',')}`],
  })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
