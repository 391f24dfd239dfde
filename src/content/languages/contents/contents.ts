import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import type { Fields } from '../../../blueprints/fields/field.ts'
import { removeLanguageFromIndex, indexOwners, renameLanguage } from '../../../platform/search/search.ts'
import type { Store, Tx } from '../../../platform/store/store.ts'
import { merged } from './merged.ts'
import * as queries from './queries.ts'

/**
 * Copies fallback values into a language before it becomes the default. Untranslated and untranslatable fields were
 * read from the previous default language; the default language itself has no fallback.
 */
export async function copyFallbackContents(app: App, tx: Tx, from: string, to: string): Promise<void> {
  for await (const pairs of queries.selectPairs(tx, from, to)) {
    await copyFallbackValues(app, tx, pairs, { from, to })
    await indexOwners(app.store, tx, pairs)
    await yieldToOthers()
  }
}

async function copyFallbackValues(
  app: App,
  tx: Tx,
  pairs: readonly queries.ContentPair[],
  { from, to }: { from: string; to: string },
): Promise<void> {
  const [present, missing] = [pairs.filter(({ own }) => own !== null), pairs.filter(({ own }) => own === null)]
  await queries.insertContentCopies(tx, missing.map(ownerOf), from, to)
  const fieldsOf = await fieldsOfAll(app, tx, present.map(ownerOf))
  for (const { owner, base, own } of present) {
    const data = JSON.stringify(merged({ own, base }, fieldsOf(owner)))
    if (data !== own) await queries.updateContentRow(tx, owner, to, data)
  }
}

const ownerOf = ({ owner }: queries.ContentPair) => owner

interface Adaptation {
  /** The current languages; the caller has locked their rows. */
  languages: readonly { key: string; is_default: number }[]
  /** Key of the default language at the time of the deletion. */
  from: string
}

/** Adapts contents restored from the trash to languages that were added, deleted or made default since. */
export async function adaptContents(app: App, tx: Tx, owners: readonly string[], { languages, from }: Adaptation) {
  const to = languages.find(({ is_default }) => is_default === 1)?.key ?? ''
  if (from !== to && languages.length === 0) await queries.moveTextsOf(tx, owners, from, to)
  else if (from !== to)
    await copyFallbackValues(app, tx, await queries.selectPairsOf(tx, owners, from, to), { from, to })
  await queries.deleteTextsInOtherLanguages(
    tx,
    owners,
    languages.map(({ key }) => key),
  )
}

/** Deletes contents, drafts, history, slugs, redirects and search index of a language. */
export async function deleteContentsOfLanguage({ store }: App, tx: Tx, key: string): Promise<void> {
  await queries.deleteTextsIn(tx, key)
  await queries.deleteSlugsIn(tx, key)
  await queries.deleteRedirectsIn(tx, key)
  await removeLanguageFromIndex(store, tx, key)
}

/** After the last language was deleted: moves its contents to the key `''`, and deletes translated slugs. */
export async function moveContentsToEmptyKey(app: App, tx: Tx, key: string): Promise<void> {
  await queries.deleteSlugsIn(tx, key)
  if (key === '') return
  await deleteContentsOfLanguage(app, tx, '')
  await queries.moveTexts(tx, key, '')
  await queries.moveRedirects(tx, key, '')
  await renameLanguage(tx, key, '')
}

const noFields: Fields = new Map()

/** Looks up the blueprints of many owners (`page://…`, `site://` …) at once; returns the fields of an owner. */
export async function fieldsOfAll(
  { blueprints }: App,
  tx: Tx | Store['db'],
  owners: string[],
): Promise<(owner: string) => Fields> {
  const names = await queries.selectBlueprints(tx, owners)
  return owner => {
    const name = names.get(owner) ?? 'default'
    if (owner.startsWith('page:')) return blueprints.page(name).fields
    if (owner.startsWith('file:')) return blueprints.file(name).fields
    if (owner.startsWith('user:')) return blueprints.user(name)?.fields ?? noFields
    return blueprints.site().fields
  }
}
