import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import type { Store, Tx } from '../../platform/store/store.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { contentLanguages } from '../languages/languages.ts'
import type { StoredContent } from '../content.ts'
import { decode } from '../queries.ts'
import { readStored } from '../stored.ts'
import type { Model } from '../save.ts'
import {
  deleteOldDrafts,
  deleteOutlived,
  type HistoryCursor,
  selectDataBefore,
  selectOld,
  selectVersion,
  type WholeVersion,
} from './queries.ts'

/** A version as it was stored, and the language it was written in. */
export interface FoundVersion {
  version: WholeVersion
  language: ContentLanguage
  content: StoredContent
}

/** 404 also for versions of a deleted language. */
export async function findVersion(app: App, model: Model, id: string): Promise<FoundVersion> {
  return findVersionIn(app.store, model, id, await contentLanguages(app))
}

/** For a transaction, in which the languages cannot be read from the store. */
export async function findVersionIn(
  store: Store | Tx,
  { owner }: Model,
  id: string,
  languages: readonly ContentLanguage[],
): Promise<FoundVersion> {
  const version = /^\d{1,15}$/.test(id) ? await selectVersion(store, owner, Number(id)) : undefined
  const language = version && languages.find(({ key }) => key === version.language)
  if (!language) throw fail('content.history.notFound')
  return { version, language, content: decode(version.data) }
}

/**
 * The content to compare with: the previous version, the published content, or another version of the same language.
 */
export async function findOther(app: App, model: Model, found: FoundVersion, compare: string): Promise<StoredContent> {
  const { version, language } = found
  if (compare === 'current') return readStored(app.store, model.owner, language, model.form.fields)
  if (compare === 'previous') return decode((await selectDataBefore(app.store, model.owner, version)) ?? '{}')
  const other = await findVersion(app, model, compare)
  if (other.language.key !== language.key) throw fail('content.history.notFound')
  return other.content
}

// ---- deleting old versions

const day = 24 * 60 * 60_000
const batch = 500
const maxBatches = 20

/** Cursor for the next sweep: old versions that must stay are not read again by every sweep. */
const cursors = new WeakMap<App, HistoryCursor>()
const start: HistoryCursor = { time: 0, id: 0 }

/**
 * Deletes versions older than `history.days`, except the newest of each owner and language, and drafts older than a
 * day. Each batch is a transaction, so that other writes do not wait long. The next sweep deletes the rest.
 */
export async function sweepHistory(app: App): Promise<void> {
  const { store, config } = app
  for (let round = 0; round < maxBatches; round++)
    if ((await store.write(tx => deleteOldDrafts(tx, batch))) < batch) break
  for (let round = 0; round < maxBatches; round++) {
    const old = await selectOld(store, config.history.days * day, cursors.get(app) ?? start, batch)
    if (old.length > 0) {
      const ids = old.map(({ id }) => id)
      await store.write(tx => deleteOutlived(tx, ids))
    }
    cursors.set(app, old.length < batch ? start : old.at(-1)!)
    if (old.length < batch) return
  }
}
