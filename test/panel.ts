import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { chromiumOptions } from '../tools/chromium.ts'
import { ensurePanel } from '../tools/panel.ts'

declare module 'vitest' {
  interface ProvidedContext {
    chromium: string
  }
}

/** Runs once, before all tests of the panel: it is built, and a browser is started for all of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await ensurePanel()
  const server = await chromium.launchServer(chromiumOptions())
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
