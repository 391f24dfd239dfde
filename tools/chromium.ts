import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type LaunchOptions } from 'playwright-core'

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
const elsewhere = [
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
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [] // Chromium does not run as root with a sandbox
  return { executablePath: findChromium(), args: [...asRoot, `--disable-features=${unneeded.join(',')}`] }
}

/** The path of Chromium: from QUOIN_TEST_BROWSER, Playwright's own, an installed one, or one that is installed now. */
function findChromium(): string {
  const named = process.env['QUOIN_TEST_BROWSER']
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named
    throw new Error(`QUOIN_TEST_BROWSER names ${named}, which does not exist.`)
  }
  const found = [chromium.executablePath(), ...installed(), ...elsewhere].find(existsSync) ?? install()
  if (found !== undefined) return found
  throw new NoBrowser(
    'The tests of the panel need a browser, and there is none. Install Chromium or Chrome, run "npx playwright-core ' +
      'install chromium", or say with QUOIN_TEST_BROWSER where one is.',
  )
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
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const run = (...step: string[]) =>
    execFileSync('apt-get', step, { env: environment, stdio: 'ignore', timeout: 300_000 })
  for (const name of ['chromium-headless-shell', 'chromium']) {
    try {
      run('update')
      run('install', '-y', '--no-install-recommends', name)
      return installed()[0]
    } catch {
      // tries the next package
    }
  }
  return undefined
}
