import type { ActorContext } from '../actor.ts'
import type { Database } from '../../platform/store/schema.ts'
import { mayCreateAccount } from './accounts.ts'
import { isAllowedOnAccount } from './authorize.ts'
import { isFileActionAllowed } from './files.ts'
import { isPageActionAllowed, seesPage } from './pages.ts'

/** A template or role of something in an entry of the trash. */
type Template = Pick<Database['trash_templates'], 'kind' | 'template'>

export const mayDeleteAccount = (ctx: ActorContext, role: string) =>
  isAllowedOnAccount(ctx, 'users.delete', {
    options: ctx.app.blueprints.role(role)?.options ?? {},
    own: false,
    accountRole: role,
  })

/** Restoring needs the permissions to create everything in the entry. */
export function mayRestore(ctx: ActorContext, templates: readonly Template[]): boolean {
  return templates.every(({ kind, template }) => {
    if (kind === 'page') return isPageActionAllowed(ctx, 'create', { template })
    if (kind === 'file') return isFileActionAllowed(ctx, 'create', { template })
    return kind !== 'user' || mayCreateAccount(ctx, template)
  })
}

export function mayPurge(ctx: ActorContext, templates: readonly Template[]): boolean {
  return templates.every(({ kind, template }) => {
    if (kind === 'page') return seesPage(ctx, { template }) && isPageActionAllowed(ctx, 'delete', { template })
    if (kind === 'file') return isFileActionAllowed(ctx, 'delete', { template })
    return kind !== 'user' || mayDeleteAccount(ctx, template)
  })
}
