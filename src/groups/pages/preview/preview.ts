import type { App } from '../../../app.ts'
import type { Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { encodePass, revokePasses } from '../../../access/preview/pass.ts'
import { fail } from '../../../platform/errors.ts'
import { selectNow } from '../../../platform/store/store.ts'

/** Seconds for which a pass is valid if the request does not say. */
export const defaultLifetime = 8 * 60 * 60
export const maxLifetime = 90 * 24 * 60 * 60

export interface NewPass {
  /** `page://…` or `site://`. */
  scope: string
  /** Of the page. It decides who sees the event in the feed. */
  template?: string | undefined
  language?: string | undefined
  /** In seconds. */
  lifetime: number
}

/** Creates a preview pass. It is shown only here; the audit log says who created it, for what and until when. */
export async function createPass(ctx: Context, { scope, template, language, lifetime }: NewPass) {
  return ctx.app.store.write(async tx => {
    const createdAt = await selectNow(tx)
    const expiresAt = createdAt + lifetime * 1000
    const detail = {
      ...(template !== undefined && { template }),
      ...(language !== undefined && { language }),
      expires: new Date(expiresAt).toISOString(),
    }
    await record(tx, { event: 'preview.created', subject: scope, ...auditActor(ctx), detail })
    return { token: encodePass(ctx.app, { scope, language, createdAt, expiresAt }), expiresAt }
  })
}

/** Ends every pass for this page or for the site. */
export async function revokePreviews(ctx: Context, scope: string, template?: string): Promise<void> {
  await ctx.app.store.write(async tx => {
    await revokePasses(tx, scope)
    const detail = template === undefined ? {} : { template }
    await record(tx, { event: 'preview.revoked', subject: scope, ...auditActor(ctx), detail })
  })
}

/** Throws if no front end can be there. Without `site.url`, addresses of pages begin with that of the CMS. */
export function mustBeFrontEnd({ config }: App, url: string): void {
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
