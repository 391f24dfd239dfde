import { chromium, type LaunchOptions } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { chromiumOptions, NoBrowser } from '../tools/chromium.ts'
import { ensurePanel } from '../tools/panel.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where Chromium listens; empty where there is none. */
    chromium: string
  }
}

/** Runs once, before all tests of the panel: it is built, and a browser is started for all of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let options: LaunchOptions
  try {
    options = chromiumOptions()
  } catch (error) {
    if (!(error instanceof NoBrowser)) throw error
    project.provide('chromium', '')
    // After the summary, where nobody overlooks it.
    return async () => console.error(`\n!!! SKIPPED: ALL TESTS OF THE PANEL IN A BROWSER. ${error.message}\n`)
  }
  await ensurePanel()
  const server = await chromium.launchServer(options)
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
