import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromium, type LaunchOptions } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { chromiumOptions, NoBrowser } from '../tools/chromium.ts'
import { ensurePanel } from '../tools/panel.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket URL of Chromium; empty if there is none. */
    chromium: string
    /** A folder for the fingerprints of screens that axe has checked, in this run or in an earlier one. */
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
    // Printed after the summary, and by `npm test` once more at its end, so that it is not overlooked.
    return async () => console.error(`\n!!! SKIPPED: ALL TESTS OF THE PANEL IN A BROWSER. ${error.message}\n`)
  }
  await ensurePanel()
  // Pages live for seconds: optimised code costs more than it saves. The slow run measures how long typing takes.
  if (project.config.env['QUOIN_TEST_SLOW'] !== 'true') options.args!.push('--js-flags=--no-turbofan,--no-maglev')
  const server = await chromium.launchServer(options)
  project.provide('chromium', server.wsEndpoint())
  project.provide('checkedScreens', checkedScreens())
  return () => server.close()
}

/**
 * Creates the folder for this build of the panel, version of axe and `test/browser.ts`, and removes the others. The name
 * of the entry script in `index.html` changes with every chunk; the name of `element.js` never changes.
 */
function checkedScreens(): string {
  const root = join(import.meta.dirname, '..')
  const axe = createRequire(import.meta.url).resolve('axe-core/package.json')
  const built = ['index.html', 'element.js'].map(name => join(root, 'dist/panel', name))
  const inputs = [axe, ...built, join(root, 'test/browser.ts')]
  const hash = createHash('sha1')
  for (const path of inputs) hash.update(readFileSync(path))
  const build = hash.digest('hex')
  const folder = join(root, 'node_modules/.cache/quoin-axe')
  mkdirSync(join(folder, build), { recursive: true })
  for (const name of readdirSync(folder))
    if (name !== build) rmSync(join(folder, name), { recursive: true, force: true })
  return join(folder, build)
}
