import { visibleAccounts, mayReadAllEvents } from '../../../access/authorize/accounts.ts'
import { accountOf, actingRole } from '../../../access/actor.ts'
import { canSee, contextForFileParent, seesSite } from '../../../access/authorize/authorize.ts'
import { listableTemplates, visibleTemplates } from '../../../access/authorize/pages.ts'
import type { RequestContext } from '../../../http/context.ts'
import { listableFileTemplates } from '../../../access/authorize/files.ts'
import type { VisibleEvents } from './queries.ts'

/**
 * Callers see the events of what they may see, also after it was deleted. With `listed`, the permission to list pages
 * counts instead of the permission to see them. Sign-ins and tokens are for the owner and for administrators, as in the
 * list of events of an account.
 */
export function visibleEvents(ctx: RequestContext, { listed }: { listed: boolean }): VisibleEvents {
  const around = contextForFileParent(ctx)
  const templates = listed ? listableTemplates : visibleTemplates
  const { access } = ctx.app.blueprints.user(actingRole(ctx))?.options ?? {}
  return {
    pages: templates(ctx),
    users: visibleAccounts(ctx),
    site: seesSite(ctx),
    files: {
      files: listableFileTemplates(ctx),
      pages: templates(around),
      users: visibleAccounts(around),
      site: seesSite(around),
    },
    own: canSee(ctx, 'access.account', access) ? accountOf(ctx) : undefined,
    signIns: mayReadAllEvents(ctx),
  }
}
