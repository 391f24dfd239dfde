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
 * throws; it is called when the permission has been checked.
 */
export type Previewed = { uuid: string } | 'site' | { release: (tx: Tx) => Promise<string> }

export interface NewPass {
  language?: string | undefined
  /** In seconds. */
  lifetime: number
  /** The address in the front end that the pass opens. */
  url: string
}

/** Creates a preview pass. It is shown only here; the audit log says who created it, for what and until when. */
export async function createPass(ctx: Context, previewed: Previewed, { language, lifetime, url }: NewPass) {
  return ctx.app.store.write(async tx => {
    const { scope, detail: facts } = await lockPreviewed(ctx, tx, previewed)
    if (previewed === 'site' || 'release' in previewed) mustPreviewAll(ctx)
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

/** Ends every pass for this page or for the site. */
export async function revokePreviews(ctx: Context, previewed: Previewed): Promise<void> {
  await ctx.app.store.write(async tx => {
    const { scope, detail } = await lockPreviewed(ctx, tx, previewed)
    await revokePasses(tx, scope)
    await record(tx, { event: 'preview.revoked', subject: scope, ...auditActor(ctx), detail })
  })
}

/** Locks the page, if the actor may preview it. The template in the event decides who sees it in the feed. */
async function lockPreviewed(ctx: Context, tx: Tx, previewed: Previewed) {
  if (previewed === 'site' || 'release' in previewed) {
    mustBeAllowed(ctx, 'pages.preview', ctx.app.blueprints.site())
    return { scope: previewed === 'site' ? 'site://' : `release://${await previewed.release(tx)}`, detail: {} }
  }
  const { uuid, template } = await lockPage(ctx, tx, previewed.uuid, ['preview'], undefined)
  return { scope: ownerOfPage(uuid), detail: { template } }
}

/** Throws if no front end can be there. Without `site.url`, addresses of pages begin with that of the CMS. */
function mustBeFrontEnd({ config }: App, url: string): void {
  const isOwn = url === config.url || url.startsWith(`${config.url}/`) || url.startsWith(`${config.url}?`)
  const isWeb = /^https?:/i.test(url) && URL.canParse(url)
  if (!isWeb || (isOwn && config.site.url === undefined)) throw fail('preview.address')
}

/** The address with the pass, for a front end that reads the parameter `preview`. */
export function withPass(url: string, token: string): string {
  const address = new URL(url)
  address.searchParams.set('preview', token)
  return address.href
}
