import { isRoleVisible, visibleAccounts, canCreateAccount } from '../../../access/authorize/accounts.ts'
import { canListFile, isFileActionAllowed, canViewFile } from '../../../access/authorize/files.ts'
import { canListPages, isPageActionAllowed, canViewPage } from '../../../access/authorize/pages.ts'
import { templatesMatching } from '../../../access/authorize/templates.ts'
import { contextForFileParent, canViewSite } from '../../../access/authorize/authorize.ts'
import { canDeleteAccount } from '../../../access/authorize/trash.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { VisibleInTrash } from './queries.ts'

/**
 * An entry is visible to callers who could see everything in it at its former location, and who may restore or purge
 * it. In lists (`forList`), pages and files need the permission to list; elsewhere the permission to see them is enough.
 */
export function visibleEntries(ctx: RequestContext, { forList }: { forList: boolean }): VisibleInTrash {
  const { app } = ctx
  const isShownPage = (template: string) =>
    forList ? canListPages(ctx, app.blueprints.page(template).options) : canViewPage(ctx, { template })
  const isShownFile = (template: string) => (forList ? canListFile : canViewFile)(ctx, { template })
  const users = visibleAccounts(ctx)
  const canViewRole = (role: string) => isRoleVisible(users, role)
  const page = (template: string) =>
    isShownPage(template) &&
    (isPageActionAllowed(ctx, 'create', { template }) || isPageActionAllowed(ctx, 'delete', { template }))
  const file = (template: string) =>
    isShownFile(template) &&
    (isFileActionAllowed(ctx, 'create', { template }) || isFileActionAllowed(ctx, 'delete', { template }))
  const user = (role: string) => canViewRole(role) && (canCreateAccount(ctx, role) || canDeleteAccount(ctx, role))
  const parentCtx = contextForFileParent(ctx)
  return {
    page: templatesMatching(app.blueprints.templates('pages'), page),
    file: templatesMatching(app.blueprints.templates('files'), file),
    user: templatesMatching(app.blueprints.roles(), user, ''),
    inPage: templatesMatching(app.blueprints.templates('pages'), template => canViewPage(parentCtx, { template })),
    inUser: templatesMatching(app.blueprints.roles(), canViewRole, ''),
    inSite: canViewSite(parentCtx),
  }
}
