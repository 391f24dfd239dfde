/** The site in the screenshots: the starter with some users, a second language and some edits, at a fixed time. */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TOTP } from 'otpauth'
import { pino } from 'pino'
import sharp, { type Region } from 'sharp'
import { type Client, createClient } from '../../client/client.ts'
import { type App, openApp } from '../../src/app.ts'
import { importSiteFolder } from '../../src/cli/initial-import/initial-import.ts'
import { loadConfig } from '../../src/platform/config.ts'
import { insertPasskey, updatePasskeyUse } from '../../src/access/factors/passkeys/queries.ts'
import { createRecoveryCodes } from '../../src/access/factors/recovery.ts'
import { setTotp } from '../../src/access/factors/totp.ts'
import { createLanguage } from '../../src/content/languages/languages.ts'
import { createServer } from '../../src/server.ts'
import { createUser, disableUser } from '../../src/groups/users/users.ts'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../memory.ts'
import { operatorContext } from '../../src/cli/site.ts'
import { addToken } from '../../test/tokens.ts'
import { addWebhooks, finishDeliveries } from './deliveries.ts'
import { fieldSamples, sampleBlueprint, sampleContent } from './field-samples.ts'
import { createFrontEnd } from './front-end.ts'

const starter = join(import.meta.dirname, '../../starter')
const totp = new TOTP()

/** The time of the screenshots. Everything in the site happened before. */
export const noon = Date.parse('2026-06-11T10:00:00Z')
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

export interface Site {
  /** The URL of the panel. */
  url: string
  /** The credentials of Ada. */
  credentials: () => { email: string; password: string; code: string }
  close(): Promise<void>
}

export async function openSite(port: number): Promise<Site> {
  const folder = mkdtempSync(join(temporaryFolder(), 'quoin-screenshots-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    return await serve(folder, port, remove)
  } catch (error) {
    remove()
    throw error
  }
}

async function serve(folder: string, preferredPort: number, remove: () => void): Promise<Site> {
  await writeContent(folder)
  const port = await freePort(preferredPort)
  const url = `http://localhost:${port}`
  const visitors = await freePort(preferredPort === 0 ? 0 : 4321)
  const options = {
    url,
    site: { url: `http://localhost:${visitors}` },
    mail: { url: 'smtp://127.0.0.1:9', from: 'press@example.org' }, // never sent
    delivery: { purge: { kind: 'varnish', url: 'http://127.0.0.1:6081/' } }, // never sent
    development: false,
  } as const
  const config = await loadConfig({ site: folder, options })
  let now = noon - 3 * day
  const app = await openApp(config, { clock: () => now, log: pino({ level: 'error' }) })
  const server = createServer(app)
  const frontEnd = createFrontEnd(url)
  const close = async () => {
    frontEnd.closeAllConnections()
    frontEnd.close()
    await server.close()
    await app.close()
    remove()
  }
  try {
    await server.listen({ host: '127.0.0.1', port })
    await new Promise<void>(resolve => void frontEnd.listen(visitors, 'localhost', resolve))
    await importSiteFolder(app)
    const { ada, joon } = await addPeople(app)
    await createLanguage(operatorContext(app), {
      code: 'en',
      name: 'English',
      locale: 'en_GB',
      url: '/',
      default: true,
    })
    await createLanguage(operatorContext(app), { code: 'de', name: 'Deutsch', locale: 'de_DE', url: '/de' })
    await addWebhooks(app, ada)
    await work(url, { ada: await tokenOf(app, ada), joon: await tokenOf(app, joon) }, time => (now = time))
    await finishDeliveries(app)
    await protect(app, ada, time => (now = time))
    now = noon
  } catch (error) {
    await close()
    throw error
  }
  return {
    url: `${url}/panel`,
    credentials: () => ({ email: 'ada@example.org', password, code: totp.generate({ timestamp: now }) }),
    close,
  }
}

// ---- content

/** The starter with two more pages, and crops of its images as files of the site. */
async function writeContent(folder: string): Promise<void> {
  for (const part of ['blueprints', 'content'])
    cpSync(join(starter, part), join(folder, part), { recursive: true, force: true })
  const content = join(folder, 'content')
  writeTexts(join(content, '3_prices', 'default.txt'), {
    Title: 'Prices and paper',
    Intro: 'What a hundred cards cost, and on what they are printed.',
  })
  writeTexts(join(content, '_drafts', 'open-house', 'default.txt'), { Title: 'Open house in July' })
  writeFileSync(join(folder, 'blueprints/pages/field-types.yml'), sampleBlueprint(fieldSamples()))
  appendFileSync(join(content, '2_about', 'workshop.png.txt'), `${divider}Focus: 71% 70%`)
  for (const [index, { from, name, alt, part }] of images.entries()) {
    const image = sharp(join(starter, 'content', from))
    await (part ? image.extract(part) : image).toFile(join(content, name))
    writeTexts(join(content, `${name}.txt`), {
      Alt: alt,
      Copyright: '© 2026, our press',
      Sort: String(index + 1),
      Template: 'picture',
      Uuid: `pR${index}tKw4nZs8cVx${index}m`,
    })
  }
}

const images: { from: string; name: string; alt: string; part?: Region }[] = [
  { from: 'home/forme.png', name: 'case-of-type.png', alt: 'Metal type in a frame' },
  {
    from: '1_notes/20260522_sheets-on-a-line/drying.png',
    name: 'five-prints.png',
    alt: 'Five prints hung up to dry',
    part: { left: 90, top: 120, width: 1020, height: 320 },
  },
  { from: '1_notes/20260310_ink-in-winter/roller.jpg', name: 'morning-ink.jpg', alt: 'A roller with blue ink' },
  { from: '2_about/workshop.png', name: 'washing-day.png', alt: 'Prints on a line, and two tins of ink below' },
  {
    from: '1_notes/20260114_what-a-quoin-is/locked.png',
    name: 'wedges.png',
    alt: 'Two pairs of wedges against each other',
    part: { left: 720, top: 80, width: 400, height: 640 },
  },
]

const divider = '\n\n----\n\n'

/** Writes a text file in the format of the import. */
function writeTexts(path: string, texts: Record<string, string>): void {
  mkdirSync(dirname(path), { recursive: true })
  const lines = Object.entries(texts).map(([field, value]) => `${field}: ${value}`)
  writeFileSync(path, lines.join(divider))
}

const password = 'seven quiet herons over water'

async function addPeople(app: App) {
  const add = (name: string, more: { role?: string; password?: string; language?: string } = {}) => {
    const email = `${name.split(' ')[0]!.toLowerCase()}@example.org`
    return createUser(operatorContext(app), { shownReferences: 'all', name, email, role: 'editor', ...more })
  }
  const ada = await add('Ada Wick', { role: 'admin', password })
  const joon = await add('Joon Marsh', { password })
  await add('Tilda Okoro', { password, language: 'de' })
  await disableUser(operatorContext(app), { id: await add('Ivo Brandt', { password }) })
  await add('Mara Lindqvist') // has not accepted the invitation yet
  return { ada, joon }
}

async function tokenOf(app: App, owner: string): Promise<string> {
  return (await addToken(app, { userId: owner, name: 'Website', scopes: ['*'] })).token
}

// ---- history

type At = (time: number) => void

/** Creates versions to compare, a page in two languages, drafts, and two users who edit the same sentence. */
async function work(url: string, tokens: Record<'ada' | 'joon', string>, at: At): Promise<void> {
  const ada = createClient({ url, token: tokens.ada })
  const joon = createClient({ url, token: tokens.joon })
  const quoin = { id: 'notes+what-a-quoin-is' }
  const intro = (client: Client, text: string, more: object = {}) =>
    client.pages.update({ ...quoin, language: 'en' }, { intro: text, ...more })

  const samples = fieldSamples()
  await ada.site.children.create({
    slug: 'field-types',
    title: 'Field types',
    template: 'field-types',
    content: {
      ...sampleContent(samples),
      gallery: ['notes/ink-in-winter/roller.jpg'],
      related: ['notes/ink-in-winter', 'about'],
      authors: ['ada@example.org'],
    },
  })

  at(noon - 2 * day)
  await intro(joon, 'A small piece of metal that nobody notices. Without it every page would fall apart.')
  at(noon - day)
  await intro(ada, 'A small wedge that nobody notices, and without which every page would fall apart.', {
    tags: ['tools', 'words', 'beginners'],
  })
  at(noon - 3 * hour)
  await ada.pages.changeTitle({ ...quoin, language: 'de' }, { title: 'Was ein Schließkeil ist' })
  await ada.pages.update(
    { ...quoin, language: 'de' },
    { intro: 'Ein kleiner Keil, den niemand bemerkt und ohne den jede Seite auseinanderfiele.' },
  )
  await ada.pages.changeSlug({ id: 'prices', language: 'en' }, { slug: 'prices-and-paper' })
  await ada.site.redirects.create({ path: '/shop', target: '/prices-and-paper' })
  await ada.site.redirects.create({ path: '/newsletter', target: 'https://letters.example.org/press' })
  await joon.pages.schedule.change({ id: 'notes+with-the-grain' }, { status: 'listed', at: '2026-06-30T06:00:00Z' })

  at(noon - hour)
  await ada.pages.changes.save(
    { id: 'about', language: 'en' },
    { text: aboutUs('We print cards, posters and small books.') },
  )
  at(noon - 20 * minute)
  await joon.pages.update(
    { id: 'about', language: 'en' },
    { text: aboutUs('We print whatever is shorter than a hundred pages.') },
  )

  at(noon - 2 * minute)
  await ada.pages.changes.save(
    { id: 'notes+ink-in-winter', language: 'en' },
    { intro: 'Below twelve degrees, ink remembers that it would rather be tar. What to do about it, in five steps.' },
  )
}

const aboutUs = (sentence: string): string =>
  `<p>The press was built in 1911, carried up two flights of stairs in 1978, and will stay there, because nobody wants to carry it down. ${sentence}</p>`

/** Gives Ada an authenticator app and two passkeys. */
async function protect(app: App, ada: string, at: At): Promise<void> {
  at(noon - 3 * day)
  const key = { user_id: ada, public_key: '', counter: 0, transports: 'internal' }
  await app.store.write(async tx => {
    await setTotp(operatorContext(app), tx, ada, totp.secret.base32)
    await createRecoveryCodes(app, tx, ada)
    await insertPasskey(tx, { ...key, id: 'laptop', credential: 'bGFwdG9w', name: 'Laptop', syncable: 1, synced: 1 })
    await insertPasskey(tx, { ...key, id: 'key', credential: 'a2V5', name: 'Blue key', syncable: 0, synced: 0 })
  })
  at(noon - day)
  await app.store.write(tx => updatePasskeyUse(tx, 'laptop', 0, true))
}
