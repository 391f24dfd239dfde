/** Installs and builds the front ends in examples/ that have packages of their own, and runs them against the starter. */
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { importSiteFolder } from '../src/cli/initial-import/initial-import.ts'
import { startWebhooks } from '../src/groups/system/webhooks/deliver.ts'
import { freePort } from '../tools/free-port.ts'
import { openPanel, type Panel } from './browser.ts'
import { beforeCleanUp } from './harness.ts'
import { createTokenClient } from './pages.ts'
import { createStarterStorage } from './starter.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const secret = `whsec_${Buffer.from('a secret of the tests, 32 bytes.').toString('base64')}`

/** Uses the Node of the root package, and hides the variables of the test run. */
const environment = {
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
  NODE_ENV: 'production',
  VITEST: undefined,
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
}

/** What npm says if it cannot reach a registry, or if the registry lacks a package. */
const offline = /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|ENOTCACHED|CERT|E40\d|E50\d/

/** Installs the packages of the lock file, unless they are there. False if there is no registry. */
async function install(folder: string): Promise<boolean> {
  const lock = createHash('sha1')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  const done = join(folder, 'node_modules/.quoin-installed')
  if (existsSync(done) && readFileSync(done, 'utf8') === lock) return true
  try {
    await run('npm', ['ci', '--include=dev'], { cwd: folder, env: environment })
  } catch (error) {
    if (offline.test(String(error))) return false
    throw error
  }
  writeFileSync(done, lock)
  return true
}

interface FrontEnd {
  url: string
  panel: Panel
  read: (path: string) => Promise<{ status: number; html: string; headers: Headers }>
}

/**
 * The example with a site and a panel; call it once, at the top of a test file. The function that it returns installs,
 * builds and tests it. `cached` is the header that says whether a page was cached.
 */
export async function openFrontEnd(name: string, cached: string): Promise<(skip: () => void) => Promise<void>> {
  const folder = join(root, 'examples', name)
  const port = await freePort()
  const url = `http://localhost:${port}`
  const panel = await openPanel({
    storage: await createStarterStorage(),
    settings: {
      site: { url },
      api: { public: true },
      webhooks: { allow: ['localhost'], list: [{ url: `${url}/api/revalidate`, secret, events: ['*'] }] },
    },
  })
  await importSiteFolder(panel.site.app)
  beforeCleanUp(await startWebhooks(panel.site.app, { pollMs: 200 }))
  const read: FrontEnd['read'] = async path => {
    const answer = await fetch(url + path, { redirect: 'manual' })
    return { status: answer.status, html: await answer.text(), headers: answer.headers }
  }

  return async skip => {
    if (!(await install(folder))) {
      console.error(`\n${name.toUpperCase()} WAS NOT TESTED: npm reaches no registry that has its packages.\n`)
      skip()
    }
    const cms = new URL(panel.url).origin
    const env = { ...environment, PORT: String(port), HOST: 'localhost', QUOIN_URL: cms, WEBHOOK_SECRET: secret }
    await run('npm', ['run', '--if-present', 'check'], { cwd: folder, env })
    await run('npm', ['run', 'build'], { cwd: folder, env })
    await start(folder, env)
    await checkFrontEnd({ url, panel, read }, cached)
  }
}

/** Runs the built site, and waits until it answers. */
async function start(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // a separate process group, to end npm's children with it
  })
  beforeCleanUp(async () => {
    const ended = once(child, 'exit')
    process.kill(-child.pid!, 'SIGTERM')
    await ended
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += String(chunk)
    if (/listening|Ready/i.test(output)) break
  }
  child.stdout.resume()
  if (child.exitCode !== null) throw new Error(`the front end ended: ${output}`)
}

const note = 'notes/ink-in-winter'

async function checkFrontEnd({ url, panel, read }: FrontEnd, cached: string): Promise<void> {
  const admin = await createTokenClient(panel.site)
  await admin.done('POST', 'languages', { code: 'en', name: 'English', default: true })
  await admin.done('POST', 'languages', { code: 'de', name: 'Deutsch' })
  await admin.done('PATCH', 'pages/notes+ink-in-winter?language=de', { title: 'Tinte im Winter', intro: 'Teer.' })

  // Published: images in all sizes, both languages, search, links inside of texts.
  const page = await read(`/en/${note}`)
  expect(page.status).toBe(200)
  expect(page.html).toContain('Below twelve degrees')
  expect(page.html).toMatch(/srcset="[^"]+roller-256x\.jpg 256w, [^"]+roller-1024x\.jpg 1024w"/i)
  expect(page.html.replaceAll(/<script[^]*?<\/script>/g, '')).not.toMatch(/data-quoin|undefined|\[object/)
  expect(page.headers.get('content-security-policy')).toContain(new URL(panel.url).origin)
  const german = await read(`/de/${note}`)
  expect(german.html).toMatch(/<html lang="de"[\s\S]+Tinte im Winter[\s\S]+Teer\./)
  expect((await read('/search/en?q=kitchen')).html).toContain(`href="/en/${note}"`)
  expect((await read('/search/de?q=Teer')).html).toContain('Tinte im Winter')
  expect((await read('/search/en?q=zebra')).html).toContain('Nothing found')
  expect((await read('/en')).html).toContain(`href="/en/${note}"`)
  expect((await read('/en/nowhere')).status).toBe(404)
  expect((await read('/en/notes/with-the-grain')).status).toBe(404)
  expect((await read('/link/de/kN6dFw4gSb8hJt2z')).headers.get('location')).toBe(`/de/${note}`)
  expect((await read('/link/de/nowhere')).status).toBe(404)

  // The old address of a page redirects to the new one.
  await admin.done('PATCH', 'pages/notes+sheets-on-a-line/slug', { slug: 'on-the-line' })
  const moved = await read('/en/notes/sheets-on-a-line')
  // Next sends the header twice.
  expect(moved.headers.get('location')?.split(', ')[0]).toBe('/en/notes/on-the-line')
  expect([301, 308]).toContain(moved.status)

  // In the panel.
  await expect.poll(async () => (await read(`/en/${note}`)).headers.get(cached)).toBe('HIT')
  const form = await panel.open({ as: { role: 'admin' }, at: '/pages/notes+ink-in-winter', width: 1600, height: 900 })
  await form.getByRole('button', { name: 'Preview' }).click()
  const frame = form.frameLocator('iframe[title="Preview of Ink in winter"]')
  await frame.getByText('Below twelve degrees').waitFor()
  const field = form.getByRole('textbox', { name: 'Introduction' })
  await field.click()
  await form.keyboard.press('ControlOrMeta+a')
  await form.keyboard.type('Above thirty degrees, ink runs.')
  await frame.getByText('Above thirty degrees, ink runs.').waitFor()
  expect((await read(`/en/${note}`)).html).not.toContain('Above thirty')
  await frame.getByText('What helps').click()
  await expect.poll(() => form.evaluate('document.activeElement.closest("[data-block]") !== null')).toBe(true)
  await form.getByRole('button', { name: 'Publish' }).click()
  await expect.poll(async () => (await read(`/en/${note}`)).html).toContain('Above thirty degrees, ink runs.')

  // The cache cannot be emptied without the secret, and an invalid pass shows the published page.
  const forged = await fetch(`${url}/api/revalidate`, { method: 'POST', body: '{}' })
  expect(forged.status).toBe(401)
  expect((await read('/en/notes/with-the-grain?preview=quoin-preview_forged')).html).not.toContain('With the grain')
}
