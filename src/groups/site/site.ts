import type { App } from '../../app.ts'
import type { Context } from '../../access/actor.ts'
import { changeDetailOf, recordEvent } from '../../content/change-events.ts'
import { type DenialKey, mustBeAllowed, siteMustBeVisible } from '../../access/authorize/authorize.ts'
import type { Permission } from '../../blueprints/permissions/permissions.ts'
import type { Tx } from '../../platform/store/store.ts'
import type { StoredContent } from '../../content/content.ts'
import { mustBeCurrent } from '../../content/revision.ts'
import { type ContentChange, type Model, saveContent } from '../../content/save.ts'
import { readStored } from '../../content/stored.ts'
import type { RuledModel } from '../../content/with-rules.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { inLanguage } from '../../platform/translations/translations.ts'
import { lockSiteRow, raiseSiteRevision } from './queries.ts'

/** The owner URI of the content of the site. */
export const siteOwner = 'site://'

/** The title needs its own permission, so it is not changed as content. */
const reserved = new Set(['title'])

/** The site as a model with content. */
export function siteModelOf({ blueprints, config }: App): Model {
  return { owner: siteOwner, form: blueprints.site(), reserved, keep: config.history.keep }
}

export async function readContentOfSite({ store, blueprints }: App, language: ContentLanguage): Promise<StoredContent> {
  return readStored(store, siteOwner, language, blueprints.site().fields)
}

/** The title of the site; without one, the title of its blueprint. */
export function titleOfSite({ blueprints }: App, content: StoredContent, reader: string): string {
  return content['title'] || inLanguage(blueprints.site().title, reader)
}

/** Changes only the fields that are sent. Returns the new revision. */
export async function updateSite(ctx: Context, change: ContentChange): Promise<number> {
  return ctx.app.store.write(tx => updateSiteIn(ctx, tx, change))
}

/** The same as a part of a transaction. */
export async function updateSiteIn(ctx: Context, tx: Tx, change: ContentChange): Promise<number> {
  return save(ctx, tx, siteModelOf(ctx.app), change, 'update', 'content')
}

export function titleMustBeValid(title: string): string {
  if (title.trim() === '') throw fail('site.changeTitle.empty')
  return title.trim()
}

export async function changeTitle(
  ctx: Context,
  title: string,
  change: Omit<ContentChange, 'sent' | 'shownReferences' | 'publish' | 'restore'>,
): Promise<number> {
  const sent = { title: titleMustBeValid(title) }
  const { form, ...model } = siteModelOf(ctx.app)
  // The title is stored as plain text, even if the blueprint has a field of this name.
  const fields = new Map([...form.fields].filter(([name]) => name !== 'title'))
  const titled = { ...model, form: { fields, broken: new Set<string>() }, reserved: new Set<string>() }
  return ctx.app.store.write(tx => save(ctx, tx, titled, { ...change, sent, shownReferences: 'all' }, 'title', 'title'))
}

const updateContent = ['site.update'] as const
const updateContentAndTitle = ['site.update', 'site.changeTitle'] as const
const updateTitle = ['site.changeTitle'] as const

async function save(
  ctx: Context,
  tx: Tx,
  model: Model,
  change: ContentChange,
  action: string,
  what: 'content' | 'title',
): Promise<number> {
  const permissions =
    what === 'title' ? updateTitle : change.title === undefined ? updateContent : updateContentAndTitle
  const revision = await lockSite(ctx, tx, permissions, change.refusal)
  mustBeCurrent(revision, change.expected)
  const next = revision + 1
  const checkTitle = (title: string) => {
    mustBeAllowed(ctx, 'site.changeTitle', ctx.app.blueprints.site())
    titleMustBeValid(title)
  }
  const validate = what === 'content'
  const ruled = ctx.app.extensions.rules && { ...ruledSite(revision), operations: [...permissions, 'site.publish'] }
  const saved = await saveContent(ctx, tx, model, { ...change, validate, revision: next, action, checkTitle, ruled })
  if (!saved) return revision
  await raiseSiteRevision(tx)
  await recordEvent(ctx, tx, 'site.changed', siteOwner, { revision: next, ...changeDetailOf(saved) })
  return next
}

/** The site as rules of extensions see it. */
export const ruledSite = (revision: number): RuledModel => ({ kind: 'site', facts: { revision } })

type SitePermission = Extract<Permission, `site.${string}`>

/**
 * Locks the site until the end of the transaction, if the actor sees it and has the permissions. With `visibility`, the
 * actor must only see it. Returns its revision.
 */
export async function lockSite(
  ctx: Context,
  tx: Tx,
  permissions: 'visibility' | readonly [SitePermission, ...SitePermission[]],
  /** The error if a permission is missing, in place of the usual one. */
  refusal?: DenialKey,
): Promise<number> {
  const revision = await lockSiteRow(ctx.app.store, tx)
  siteMustBeVisible(ctx)
  const needed = permissions === 'visibility' ? [] : permissions
  for (const permission of needed) mustBeAllowed(ctx, permission, ctx.app.blueprints.site(), refusal)
  return revision
}
