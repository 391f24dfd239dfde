/**
 * Takes the screenshots in docs/guide/images: serves a site from a temporary folder and opens it in Chromium. `npm run
 * screenshots`; `--check` only tests that it still works, `--stale` reports whether they are outdated.
 */
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { chromiumOptions } from './chromium.ts'
import { ensurePanel } from './panel.ts'
import { takeFieldScreenshots } from './screenshots/fields.ts'
import { fieldSamples } from './screenshots/field-samples.ts'
import { names, takeScreenshots } from './screenshots/take.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs/guide/images')
const fingerprintFile = join(folder, 'made.json')

const help = `npm run screenshots                  take all screenshots in docs/guide/images
npm run screenshots -- --check       open every screen that is in them, and write nothing
npm run screenshots -- --stale       exit 1 if the panel has changed since they were taken
npm run screenshots -- --help        show this help`

/** A hash of all sources that affect the appearance of the panel. */
function fingerprint(): string {
  const hash = createHash('sha256')
  const sources = globSync('panel/**/*.{ts,tsx,css,html,json}', { cwd: root }).map(name => name.replaceAll('\\', '/'))
  for (const name of sources.filter(one => !one.endsWith('.test.ts')).toSorted())
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0')
  return hash.digest('hex')
}

function isStale(): boolean {
  try {
    return (JSON.parse(readFileSync(fingerprintFile, 'utf8')) as { panel: string }).panel !== fingerprint()
  } catch {
    return true // there are no screenshots yet
  }
}

async function save(name: string, page: Pick<Page, 'screenshot'>): Promise<void> {
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  const webp = await sharp(png).webp({ quality: 80, effort: 6 }).toBuffer()
  writeFileSync(join(folder, `${name}.webp`), webp)
  console.log(`docs/guide/images/${name}.webp  ${Math.round(webp.length / 1024)} kB`)
}

async function update(isCheck: boolean): Promise<void> {
  await ensurePanel()
  const panel = fingerprint()
  mkdirSync(join(folder, 'fields'), { recursive: true })
  const browser = await chromium.launch(chromiumOptions())
  try {
    if (isCheck) {
      await takeScreenshots(browser, async name => console.log(name))
      await takeFieldScreenshots(browser, async type => console.log(`fields/${type}`))
    } else {
      await takeScreenshots(browser, save, { scale: 2, port: 4080 })
      await takeFieldScreenshots(browser, (type, field) => save(`fields/${type}`, field), { scale: 2 })
    }
  } finally {
    await browser.close()
  }
  if (isCheck) return
  const expectedNames = new Set([...names, ...fieldSamples().map(({ type }) => join('fields', type))])
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.webp') && !expectedNames.has(name.slice(0, -5))) rmSync(join(folder, name))
  writeFileSync(fingerprintFile, `${JSON.stringify({ panel }, undefined, 2)}\n`)
}

if (import.meta.main) {
  const option = { type: 'boolean', default: false } as const
  const { values } = parseArgs({ options: { check: option, stale: option, help: option } })
  if (values.help) console.log(help)
  else if (values.stale) {
    const stale = isStale()
    console.log(stale ? 'The panel has changed since the screenshots were taken.' : 'The screenshots show this panel.')
    if (stale) process.exitCode = 1
  } else await update(values.check)
}
