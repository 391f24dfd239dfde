import { createHash } from 'node:crypto'
import type { App } from '../../app.ts'
import { isBroken } from '../../blueprints/fields/broken.ts'
import { readContent } from '../../content/content.ts'
import { withChanges } from '../../content/drafts/draft-lock.ts'
import { decodeChanges } from '../../content/drafts/queries.ts'
import { decode } from '../../content/queries.ts'
import { fieldsOfAll } from '../../content/languages/contents/contents.ts'
import { targetsIn } from '../../forms/references/targets.ts'
import { documentFaults } from './documents/documents.ts'
import type { CheckOptions, Fault } from './fault.ts'
import * as queries from './queries.ts'
import { redirectFaults } from './redirects/redirects.ts'
import { searchFaults } from './search/search.ts'

export interface CheckResult {
  faults: Fault[]
  /** Number of unused blobs that will be swept. */
  unused: number
  /** What could not be checked. */
  notes: string[]
}

/**
 * Checks everything and changes nothing. A server may write meanwhile, so a check that needs several statements reads a
 * suspect a second time.
 */
export async function findFaults(app: App, options: CheckOptions): Promise<CheckResult> {
  const result: CheckResult = { faults: [], unused: 0, notes: [] }
  const checks = [
    storeFaults,
    treeFaults,
    countFaults,
    ownerFaults,
    languageFaults,
    fieldFaults,
    searchFaults,
    linkFaults,
    redirectFaults,
    fileFaults,
    versionFaults,
    trashFaults,
  ]
  for (const check of checks) for await (const fault of check(app, options)) result.faults.push(fault)
  for await (const found of documentFaults(app, options)) {
    if (typeof found === 'string') result.notes.push(found)
    else result.faults.push(found)
  }
  for await (const found of blobFaults(app, options)) {
    if (found === 'unused') result.unused++
    else result.faults.push(found)
  }
  return result
}

async function* storeFaults({ store }: App, { progress }: CheckOptions): AsyncGenerator<Fault> {
  progress('the database itself', 0)
  if (store.name !== 'sqlite') return
  for (const message of await queries.selectDamage(store)) yield { kind: 'store', at: 'sqlite', message }
}

async function* treeFaults({ store }: App, { progress }: CheckOptions): AsyncGenerator<Fault> {
  let count = 0
  for await (const pages of queries.selectPageBatches(store)) {
    progress('pages', (count += pages.length))
    for (const { uuid, path, slug, parent, above } of pages) {
      if (parent !== '' && above === null)
        yield { kind: 'tree', at: uuid, message: `page ${path} is below page://${parent}, which does not exist` }
      else if (path !== (parent === '' ? slug : `${above}/${slug}`))
        yield {
          kind: 'tree',
          at: uuid,
          message: `page ${path} should be at ${parent === '' ? slug : `${above}/${slug}`}`,
        }
    }
  }
}

async function* countFaults({ store }: App, { progress }: CheckOptions): AsyncGenerator<Fault> {
  for (const table of ['page_counts', 'user_counts'] as const) {
    progress(table, 0)
    for (const { name, stored, real } of await queries.selectWrongCounts(store, table))
      yield { kind: 'counts', at: table, message: `${table} says ${stored} of “${name}”, there are ${real}` }
  }
}

async function* ownerFaults({ store }: App, { progress }: CheckOptions): AsyncGenerator<Fault> {
  for (const table of queries.ownedTables) {
    progress(table, 0)
    for (const { owner, count } of await queries.selectOrphans(store, table))
      yield { kind: 'owners', at: table, message: `${count} in ${table} of ${owner}, which does not exist` }
  }
}

async function* languageFaults({ store }: App): AsyncGenerator<Fault> {
  const languages = await queries.selectLanguageKeys(store)
  const defaults = languages.filter(row => row.is_default === 1).length
  if (languages.length > 0 && defaults !== 1)
    yield { kind: 'languages', at: 'languages', message: `${defaults} languages are the default one` }
  const keys = new Set(languages.length === 0 ? [''] : languages.map(({ key }) => key))
  for (const table of queries.languageTables)
    for (const language of await queries.selectUsedLanguages(store, table))
      if (!keys.has(language) && !(await isLanguage(store, language)))
        yield { kind: 'languages', at: table, message: `${table} has rows in “${language}”, which is no language` }
}

/** Reads again: the language may have been added since. */
async function isLanguage(store: App['store'], key: string): Promise<boolean> {
  const languages = await queries.selectLanguageKeys(store)
  return languages.length === 0 ? key === '' : languages.some(language => language.key === key)
}

// ---- fields

/** Values that cannot be read: the API shows them as broken, and they stay until they are overwritten. */
async function* fieldFaults(app: App, { progress }: CheckOptions): AsyncGenerator<Fault> {
  const { store } = app
  for (const source of ['contents', 'changes'] as const) {
    let count = 0
    for await (const batch of queries.selectTextOwnerBatches(store, source)) {
      progress('fields', (count += batch.length))
      const owners = batch.map(({ owner }) => owner)
      const fieldsOf = await fieldsOfAll(app, store.db, owners)
      for (const { owner, language, data } of await queries.selectTexts(store, source, owners)) {
        const form = { fields: fieldsOf(owner), broken: noNames }
        const content = source === 'contents' ? decode(data) : withChanges({}, decodeChanges(data))
        for (const [name, value] of Object.entries(await readContent(form, content)))
          for (const { at, reason } of brokenIn(value, name))
            yield { kind: 'fields', at: owner, message: brokenText(owner, language, source, at, reason) }
      }
    }
  }
}

const noNames: ReadonlySet<string> = new Set()

function brokenText(owner: string, language: string, source: queries.CheckedTable, at: string, reason: string): string {
  const where = `${owner}${language === '' ? '' : ` (${language})`}${source === 'changes' ? ', not published' : ''}`
  return `${where}: “${at}” cannot be read: ${reason === 'tooLarge' ? 'reading it would exceed the CPU budget of a request; --repair converts it' : 'it is not what the blueprint says'}`
}

function* brokenIn(value: unknown, at: string): Generator<{ at: string; reason: string }> {
  if (isBroken(value)) yield { at, reason: value.$broken }
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) yield* brokenIn(part, `${at}.${name}`)
}

// ---- references

async function* linkFaults({ store }: App, { progress }: CheckOptions): AsyncGenerator<Fault> {
  for (const source of ['contents', 'changes'] as const) {
    let count = 0
    for await (const batch of queries.selectTextOwnerBatches(store, source)) {
      progress('links', (count += batch.length))
      const owners = batch.map(({ owner }) => owner)
      const suspects = await selectWrongLinks(store, source, owners)
      for (const owner of await selectWrongLinks(store, source, suspects)) yield wrongLinks(owner)
    }
    for (const { owner } of await queries.selectLinksWithoutText(store, source)) yield wrongLinks(owner)
  }
}

const wrongLinks = (owner: string): Fault => ({
  kind: 'links',
  at: owner,
  message: `${owner} has outdated references`,
})

async function selectWrongLinks(
  store: App['store'],
  source: queries.CheckedTable,
  owners: string[],
): Promise<string[]> {
  if (owners.length === 0) return []
  const { texts, links } = await queries.selectLinked(store, source, owners)
  const wrong = new Set<string>()
  const stored = Map.groupBy(links, ({ owner, language }) => `${language} ${owner}`)
  for (const { owner, language, data } of texts) {
    const targets = targetsIn(data)
    const linked = stored.get(`${language} ${owner}`) ?? []
    if (linked.length !== targets.size || !linked.every(({ target }) => targets.has(target))) wrong.add(owner)
  }
  return [...wrong]
}

// ---- files and blobs

async function* fileFaults({ store, media }: App, { progress, thorough }: CheckOptions): AsyncGenerator<Fault> {
  let count = 0
  for await (const files of queries.selectFileBatches(store)) {
    progress('files', (count += files.length))
    for (const { uuid, parent, filename, hash, size, known, unused_since } of files) {
      const fault = (message: string): Fault => ({
        kind: 'media',
        at: uuid,
        message: `${parent}/${filename}: ${message}`,
      })
      if (known === null) yield fault('its bytes have no row in the table blobs')
      else if (unused_since !== null) yield fault('its bytes are marked as unused')
      const storedSize = await media.size(hash)
      if (storedSize === undefined) yield fault('its bytes are missing')
      else if (storedSize !== size || (known !== null && known !== size))
        yield fault(`has ${storedSize} bytes instead of ${size}`)
      else if (thorough && (await hashOf(media, hash)) !== hash) yield fault('its bytes are damaged')
    }
  }
}

async function* versionFaults({ store }: App): AsyncGenerator<Fault> {
  for (const { hash } of await queries.selectUnknownBlobs(store, 'file_versions'))
    yield {
      kind: 'media',
      at: hash,
      message: `bytes ${hash} of a version of a file have no row in the table blobs, or are marked as unused`,
    }
}

async function* trashFaults({ store }: App, { progress }: CheckOptions): AsyncGenerator<Fault> {
  progress('trash', 0)
  for (const { at, rows } of await queries.selectTrashFaults(store))
    yield {
      kind: 'trash',
      at,
      message: rows > 0 ? `${rows} rows are of entry ${at}, which is gone` : `entry ${at} has nothing in it`,
    }
  for (const { hash } of await queries.selectUnknownBlobs(store, 'trash_rows'))
    yield {
      kind: 'trash',
      at: hash,
      message: `bytes ${hash} of a file in the trash have no row in the table blobs, or are marked as unused`,
    }
}

async function hashOf(media: App['media'], hash: string): Promise<string | undefined> {
  const bytes = await media.open(hash)
  if (!bytes) return undefined
  const found = createHash('sha256')
  for await (const chunk of bytes) found.update(chunk as Uint8Array)
  return found.digest('hex')
}

async function* blobFaults(
  { store, media }: App,
  { thorough, progress }: CheckOptions,
): AsyncGenerator<Fault | 'unused'> {
  let count = 0
  for await (const blobs of queries.selectBlobBatches(store)) {
    progress('bytes', (count += blobs.length))
    for (const { hash, size, unused_since, used } of blobs) {
      if (unused_since !== null) yield 'unused'
      else if (used === 0)
        yield { kind: 'media', at: hash, message: `bytes ${hash} are marked as used, but no file has them` }
      // Those of files are checked with the files.
      if (unused_since !== null || used === 1) continue
      const storedSize = await media.size(hash)
      if (storedSize !== size)
        yield { kind: 'media', at: hash, message: `bytes ${hash}: ${storedSize ?? 'missing'} instead of ${size}` }
      else if (thorough && (await hashOf(media, hash)) !== hash)
        yield { kind: 'media', at: hash, message: `bytes ${hash} are damaged` }
    }
  }
  for await (const hash of media.list()) {
    progress('bytes', ++count)
    // A blob's row is inserted before its bytes are written, and deleted after they are removed.
    if (!(await queries.isBlobKnown(store, hash)) && (await media.size(hash)) !== undefined)
      yield { kind: 'media', at: hash, message: `bytes ${hash} belong to nothing` }
  }
}
