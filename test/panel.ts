import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type LaunchOptions } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { chromiumOptions, NoBrowser } from '../tools/chromium.ts'
import { ensurePanel } from '../tools/panel.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket URL of Chromium; empty if there is none. */
    chromium: string
    /** A folder for the fingerprints of screens that axe has checked. */
    checkedScreens: string
  }
}

/** Runs once, before all tests of the panel: builds the panel and starts one browser for all of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let options: LaunchOptions
  try {
    options = chromiumOptions()
  } catch (error) {
    if (!(error instanceof NoBrowser)) throw error
    project.provide('chromium', '')
    // Printed after the summary, so that it is not overlooked.
    return async () => console.error(`\n!!! SKIPPED: ALL TESTS OF THE PANEL IN A BROWSER. ${error.message}\n`)
  }
  await ensurePanel()
  // Pages live for seconds: optimised code costs more than it saves. The slow run measures how long typing takes.
  if (project.config.env['QUOIN_TEST_SLOW'] !== 'true') options.args!.push('--js-flags=--no-turbofan,--no-maglev')
  const server = await chromium.launchServer(options)
  project.provide('chromium', server.wsEndpoint())
  const checkedScreens = mkdtempSync(join(tmpdir(), 'quoin-axe-'))
  project.provide('checkedScreens', checkedScreens)
  return async () => {
    await server.close()
    rmSync(checkedScreens, { recursive: true, force: true })
  }
}
