import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type LaunchOptions } from 'playwright-core'
import { packagedChromium } from './chromium-package.ts'

/** Headless shells first: the same browser starts in half the time. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'chrome',
]
const paths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
  String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
]

/** Features of Chromium that are not visible in tests or interfere with them. */
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

/** There is no browser on this machine, and no way to get one. */
export class NoBrowser extends Error {}

/** The launch options for this machine. */
export function chromiumOptions(): LaunchOptions {
  const path = findChromium()
  const packaged = path === undefined ? packagedChromium() : undefined
  const executablePath = path ?? packaged?.path ?? install()
  if (executablePath === undefined) throw new NoBrowser(noBrowser)
  // Chromium does not run as root with a sandbox, and the packaged one has no helper that would set one up.
  const withoutSandbox = process.getuid?.() === 0 || packaged ? ['--no-sandbox'] : []
  return {
    executablePath,
    args: [...withoutSandbox, `--disable-features=${unneeded.join(',')}`],
    ...(packaged && { env: { ...(process.env as Record<string, string>), ...packaged.env } }),
  }
}

const noBrowser =
  process.platform === 'darwin'
    ? 'The tests of the panel need a browser: on a Mac, install Google Chrome.'
    : 'The tests of the panel need a browser, and there is none. Install Chromium or Chrome, run "npx playwright-core ' +
      'install chromium", or say with QUOIN_TEST_BROWSER where one is.'

/** The path of Chromium: from QUOIN_TEST_BROWSER, Playwright's own, or an installed one. */
function findChromium(): string | undefined {
  const named = process.env['QUOIN_TEST_BROWSER']
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named
    throw new Error(`QUOIN_TEST_BROWSER names ${named}, which does not exist.`)
  }
  return [chromium.executablePath(), ...installed(), ...paths].find(existsSync)
}

function installed(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return folders.flatMap(folder => names.map(name => join(folder, name))).filter(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Installs Chromium as root on Debian only, which is most likely a container. */
function install(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined
  for (const name of ['chromium-headless-shell', 'chromium']) {
    try {
      aptGet('update')
      aptGet('install', '-y', '--no-install-recommends', name)
      return installed()[0]
    } catch {
      // tries the next package
    }
  }
  return undefined
}

/** How often the lock of another apt-get is tried, in ms, and how many times. */
const lockTries = { everyMs: 5000, count: 60 }

/** Waits while another program installs packages: machines do so on their own after they have started. */
function aptGet(...words: string[]): void {
  for (let left = lockTries.count; ; left--) {
    const { status, stderr } = spawnSync('apt-get', words, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: 300_000,
    })
    if (status === 0) return
    if (left === 0 || !/Could not get lock|Unable to acquire|Unable to lock/.test(stderr)) throw new Error(stderr)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockTries.everyMs)
  }
}
