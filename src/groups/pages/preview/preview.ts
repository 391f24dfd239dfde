import type { App } from '../../../app.ts'
import type { Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { encodePass, revokePasses } from '../../../access/preview/pass.ts'
import { mustBeAllowed } from '../../../access/authorize/authorize.ts'
import { mustPreviewAll } from '../../../access/authorize/pages.ts'
import { fail } from '../../../platform/errors.ts'
import { selectNow, type Tx } from '../../../platform/store/store.ts'
import { ownerOfPage } from '../pages.ts'
import { lockPage } from '../tree/lock.ts'

/** How long a pass is valid if the request does not say. */
export const defaultLifetimeSeconds = 8 * 60 * 60
export const maxLifetimeSeconds = 90 * 24 * 60 * 60

/**
 * What a pass shows: the page with this uuid, the whole site, or the site with a release. `release` returns its id, or
 * throws; it is called after the permission has been checked.
 */
export type PreviewSubject = { uuid: string } | 'site' | { release: (tx: Tx) => Promise<string> }

export interface NewPass {
  language?: string | undefined
  /** In seconds. */
  lifetime: number
  /** The URL in the front end that the pass opens. */
  url: string
}

/** Creates a preview pass. It is shown only here; the audit log says who created it, for what and until when. */
export async function createPass(ctx: Context, subject: PreviewSubject, { language, lifetime, url }: NewPass) {
  return ctx.app.store.write(async tx => {
    const { scope, detail: facts } = await authorizePreview(ctx, tx, subject)
    if (subject === 'site') mustPreviewAll(ctx)
    mustBeFrontEnd(ctx.app, url)
    const createdAt = await selectNow(tx)
    const expiresAt = createdAt + lifetime * 1000
    const detail = {
      ...facts,
      ...(language !== undefined && { language }),
      expires: new Date(expiresAt).toISOString(),
    }
    await record(tx, { event: 'preview.created', subject: scope, ...auditActor(ctx), detail })
    return { token: encodePass(ctx.app, { scope, language, createdAt, expiresAt }), expiresAt }
  })
}

/** Revokes every pass for this page or for the site. Those for the site show the page, too, and stay valid. */
export async function revokePassesOf(ctx: Context, subject: PreviewSubject): Promise<void> {
  await ctx.app.store.write(async tx => {
    const { scope, detail } = await authorizePreview(ctx, tx, subject)
    await revokePasses(tx, scope)
    await record(tx, { event: 'preview.revoked', subject: scope, ...auditActor(ctx), detail })
  })
}

/**
 * Checks the permission, and returns the scope of the passes and the detail of the event. A page is locked; its template
 * in the event decides who sees it in the feed.
 */
async function authorizePreview(ctx: Context, tx: Tx, subject: PreviewSubject) {
  if (subject === 'site' || 'release' in subject) {
    mustBeAllowed(ctx, 'pages.preview', ctx.app.blueprints.site())
    if (subject === 'site') return { scope: 'site://', detail: {} }
    mustPreviewAll(ctx)
    return { scope: `release://${await subject.release(tx)}`, detail: {} }
  }
  const { uuid, template } = await lockPage(ctx, tx, subject.uuid, ['preview'], undefined)
  return { scope: ownerOfPage(uuid), detail: { template } }
}

/** Throws if this URL cannot be one of a front end: without `site.url`, URLs of pages begin with that of the CMS. */
function mustBeFrontEnd({ config }: App, url: string): void {
  const isOwn = url === config.url || url.startsWith(`${config.url}/`) || url.startsWith(`${config.url}?`)
  const isWeb = /^https?:/i.test(url) && URL.canParse(url)
  if (!isWeb || (isOwn && config.site.url === undefined)) throw fail('preview.address')
}

/** The URL with the pass, for a front end that reads the parameter `preview`. */
export function withPass(url: string, token: string): string {
  const withParameter = new URL(url)
  withParameter.searchParams.set('preview', token)
  return withParameter.href
}
