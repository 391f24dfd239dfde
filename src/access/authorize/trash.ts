import type { ActorContext } from '../actor.ts'
import type { Database } from '../../platform/store/schema.ts'
import { isRoleVisible, canCreateAccount, visibleAccounts } from './accounts.ts'
import { isAllowedOnAccount } from './authorize.ts'
import { isFileActionAllowed, canViewFile } from './files.ts'
import { isPageActionAllowed, canViewPage } from './pages.ts'

/** A template or role of something in an entry of the trash. */
type Template = Pick<Database['trash_templates'], 'kind' | 'template'>

export const canDeleteAccount = (ctx: ActorContext, role: string) =>
  isAllowedOnAccount(ctx, 'users.delete', {
    options: ctx.app.blueprints.role(role)?.options ?? {},
    own: false,
    accountRole: role,
  })

/** Whether the actor may restore the entry: may see and create everything in it. */
export const canRestore = (ctx: ActorContext, templates: readonly Template[]): boolean =>
  templates.every(({ kind, template }) => {
    if (kind === 'page') return canViewPage(ctx, { template }) && isPageActionAllowed(ctx, 'create', { template })
    if (kind === 'file') return canViewFile(ctx, { template }) && isFileActionAllowed(ctx, 'create', { template })
    return kind !== 'user' || (canViewRole(ctx, template) && canCreateAccount(ctx, template))
  })

/** Whether the actor may purge the entry: may see and delete everything in it. */
export const canPurge = (ctx: ActorContext, templates: readonly Template[]): boolean =>
  templates.every(({ kind, template }) => {
    if (kind === 'page') return canViewPage(ctx, { template }) && isPageActionAllowed(ctx, 'delete', { template })
    if (kind === 'file') return canViewFile(ctx, { template }) && isFileActionAllowed(ctx, 'delete', { template })
    return kind !== 'user' || (canViewRole(ctx, template) && canDeleteAccount(ctx, template))
  })

const canViewRole = (ctx: ActorContext, role: string) => isRoleVisible(visibleAccounts(ctx), role)
