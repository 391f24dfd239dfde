import type { App } from '../../app.ts'
import { record } from '../../access/audit/audit.ts'
import type { StoredContent } from '../../content/content.ts'
import { mustBeCurrent } from '../../content/revision.ts'
import { type ContentChange, type Model, saveContent } from '../../content/save.ts'
import { readStored } from '../../content/stored.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { inLanguage } from '../../platform/translations/translations.ts'
import { lockSite, raiseRevision } from './queries.ts'

/** By what the content of the site is known. */
export const owner = 'site://'

/** The title has its own permission. */
const reserved = new Set(['title'])

/** The site as something that has content. */
export function modelOf({ blueprints, config }: App): Model {
  return { owner, form: blueprints.site(), reserved, keep: config.history.keep }
}

export async function readContentOfSite({ store, blueprints }: App, language: ContentLanguage): Promise<StoredContent> {
  return readStored(store, owner, language, blueprints.site().fields)
}

/** What it is called; without a name of its own, as its blueprint is. */
export function titleOf({ blueprints }: App, content: StoredContent, reader: string): string {
  return content['title'] || inLanguage(blueprints.site().title, reader)
}

/** Only what is sent changes. Answers with the revision that the site is at then. */
export async function updateSite(app: App, change: ContentChange): Promise<number> {
  return save(app, modelOf(app), change, 'update', 'content')
}

export function titleMustFit(title: string): string {
  if (title.trim() === '') throw fail('site.changeTitle.empty')
  return title.trim()
}

export async function changeTitle(
  app: App,
  title: string,
  change: Omit<ContentChange, 'sent' | 'visible' | 'publish' | 'restore'>,
): Promise<number> {
  const sent = { title: titleMustFit(title) }
  const { form, ...model } = modelOf(app)
  // A title is a text, whatever field a blueprint has under this name.
  const fields = new Map([...form.fields].filter(([name]) => name !== 'title'))
  const titled = { ...model, form: { fields, broken: new Set<string>() }, reserved: new Set<string>() }
  return save(app, titled, { ...change, sent, visible: undefined }, 'title', 'title')
}

async function save(
  app: App,
  model: Model,
  change: ContentChange,
  action: string,
  what: 'content' | 'title',
): Promise<number> {
  return app.store.write(async tx => {
    const revision = await lockSite(app.store, tx)
    mustBeCurrent(revision, change.expected)
    const next = revision + 1
    const saved = await saveContent(tx, model, { ...change, validate: what === 'content', revision: next, action })
    if (!saved) return revision
    await raiseRevision(tx)
    await record(tx, { event: 'site.changed', ...change.by, detail: { what } })
    return next
  })
}
