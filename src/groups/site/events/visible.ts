import { visibleAccounts, canReadAllEvents } from '../../../access/authorize/accounts.ts'
import { accountOf, actingRole } from '../../../access/actor.ts'
import { canRead, contextForFileParent, canViewSite } from '../../../access/authorize/authorize.ts'
import { listableTemplates, visibleTemplates } from '../../../access/authorize/pages.ts'
import type { RequestContext } from '../../../http/context.ts'
import { listableFileTemplates } from '../../../access/authorize/files.ts'
import type { VisibleEvents } from './queries.ts'

/**
 * Callers see the events of what they may see, also after it was deleted. In the feed of the whole site (`forList`),
 * pages need the permission `pages.list`; in the feed of one page, the permission to see it is enough. Its files always
 * need `files.list`, because the feed lists them. Events of authentication (`auth.*`) are shown to the owner of the
 * account and to administrators.
 */
export function visibleEvents(ctx: RequestContext, { forList }: { forList: boolean }): VisibleEvents {
  const parentCtx = contextForFileParent(ctx)
  const templates = forList ? listableTemplates : visibleTemplates
  const { access } = ctx.app.blueprints.user(actingRole(ctx))?.options ?? {}
  return {
    pages: templates(ctx),
    users: visibleAccounts(ctx),
    site: canViewSite(ctx),
    files: {
      files: listableFileTemplates(ctx),
      pages: templates(parentCtx),
      users: visibleAccounts(parentCtx),
      site: canViewSite(parentCtx),
    },
    own: canRead(ctx, 'access.account', access) ? accountOf(ctx) : undefined,
    allAuth: canReadAllEvents(ctx),
  }
}
