import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { contentLanguages } from '../languages/languages.ts'
import type { StoredContent } from '../content.ts'
import { decode } from '../queries.ts'
import { readStored } from '../stored.ts'
import type { Model } from '../save.ts'
import {
  deleteOldDrafts,
  deleteOutlived,
  type Place,
  selectDataBefore,
  selectOld,
  selectVersion,
  type WholeVersion,
} from './queries.ts'

/** A version as it was stored, and the language it was written in. */
export interface Found {
  version: WholeVersion
  language: ContentLanguage
  content: StoredContent
}

/** One of this thing; of a language that is gone nothing is left to go back to. */
export async function findVersion(app: App, { owner }: Model, id: string): Promise<Found> {
  const version = /^\d{1,15}$/.test(id) ? await selectVersion(app.store, owner, Number(id)) : undefined
  const language = version && (await contentLanguages(app)).find(({ key }) => key === version.language)
  if (!language) throw fail('content.history.notFound')
  return { version, language, content: decode(version.data) }
}

/** What a version is compared with: the one before it, what is published now, or any other one of its language. */
export async function findOther(app: App, model: Model, found: Found, compare: string): Promise<StoredContent> {
  const { version, language } = found
  if (compare === 'current') return readStored(app.store, model.owner, language, model.form.fields)
  if (compare === 'previous') return decode((await selectDataBefore(app.store, model.owner, version)) ?? '{}')
  const other = await findVersion(app, model, compare)
  if (other.language.key !== language.key) throw fail('content.history.notFound')
  return other.content
}

// ---- forgetting

const day = 24 * 60 * 60_000
const batch = 500
const maxBatches = 20

/** Where the next round goes on: old versions that stay, as the last of their kind, are not looked at by every round. */
const places = new WeakMap<App, Place>()
const start: Place = { time: 0, id: 0 }

/**
 * Versions go when their time is over, but for the newest of each thing and language; overwritten drafts after a day. Some at a time, each batch in a
 * transaction of its own: nobody waits long behind it, and what is left is done by the next round.
 */
export async function sweepHistory(app: App): Promise<void> {
  const { store, config } = app
  for (let round = 0; round < maxBatches; round++)
    if ((await store.write(tx => deleteOldDrafts(tx, batch))) < batch) break
  for (let round = 0; round < maxBatches; round++) {
    const old = await selectOld(store, config.history.days * day, places.get(app) ?? start, batch)
    if (old.length > 0) {
      const ids = old.map(({ id }) => id)
      await store.write(tx => deleteOutlived(tx, ids))
    }
    places.set(app, old.length < batch ? start : old.at(-1)!)
    if (old.length < batch) return
  }
}
