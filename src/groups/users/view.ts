import { isAccountActionAllowed, visibleAccounts } from '../../access/authorize/accounts.ts'
import { z } from 'zod'
import { panelImageSchema } from '../../blueprints/panel-image.ts'
import type { App } from '../../app.ts'
import type { Blueprint } from '../../blueprints/blueprints.ts'
import { catalogue } from '../../blueprints/permissions/permissions.ts'
import { blueprintView, type BlueprintModel } from '../../content/blueprint.ts'
import { lockedBy } from '../../content/drafts/draft-lock.ts'
import { readContent } from '../../content/content.ts'
import { formIn } from '../../content/language-form.ts'
import { panelImage, userImage } from '../../content/panel-image.ts'
import { readStored } from '../../content/stored.ts'
import { filesIn } from '../files/target.ts'
import { fileViewOf, imageSourceOf } from '../files/view.ts'
import { permissionsOf, permissionsOfCaller } from '../../access/authorize/authorize.ts'
import { accountOf, callerOf, type User } from '../../access/actor.ts'
import type { RequestContext } from '../../http/context.ts'
import { type Builder, viewOf } from '../../http/view.ts'
import { hasOtherAdmin } from '../roles/queries.ts'
import { changeableRoles, findRole, isChangeable, type Role } from '../roles/roles.ts'
import { permissionsSchema, roleView } from '../roles/view.ts'
import { batched } from '../../platform/store/batch.ts'
import { avatarView, findAvatar } from './avatar/view.ts'
import { userFileParent } from './files.ts'
import { selectUserNeighbours } from './listing/queries.ts'
import { formOf, ownerOfUser } from './users.ts'

const compact = [
  ['avatar', 'compact'],
  'email',
  'id',
  'language',
  'name',
  ['role', 'compact'],
  'username',
  'uuid',
] as const

/** The properties shown in lists. */
const briefFields = (field: Builder<User>) => ({
  avatar: field.maybe(avatarView, findAvatar),
  email: field.value(z.string(), user => user.email),
  id: field.value(z.string(), user => user.id),
  language: field.value(z.string(), user => user.language),
  name: field.value(z.string().nullable(), user => user.name || (user.blank_name === 1 ? '' : null)),
  role: field.whole(roleView, (user, { app }) => findRole(app, user.role)),
  username: field.value(z.string(), user => user.name || user.email),
  uuid: field.value(z.string(), user => ownerOfUser(user.id)),
})

const briefUserView = viewOf<User>('BriefUser')(briefFields, { compact })

const defaultView = [
  'avatar', 'content', 'email', 'id', 'language', 'name', ['next', 'compact'], 'options', ['prev', 'compact'], 'role',
  'username', 'uuid',
] as const // prettier-ignore

const ownFields = (field: Builder<User>) => ({
  ...briefFields(field),
  content: field.value(z.record(z.string(), z.unknown()), showContent),
  options: field.value(z.record(z.string(), z.boolean()), showOptions),
})

/** The previous or next account. */
const neighbourView = viewOf<User>('RelatedUser')(
  field => ({
    ...ownFields(field),
    next: field.maybe(briefUserView, (user, ctx) => neighbourOf(user, ctx, true)),
    prev: field.maybe(briefUserView, (user, ctx) => neighbourOf(user, ctx, false)),
  }),
  { compact, default: [...defaultView] },
)

export const userFileView = fileViewOf({
  name: 'UserFile',
  parent: neighbourView,
  parents: briefUserView,
  ancestors: () => [],
})

export const userView = viewOf<User>('User')(
  field => ({
    ...ownFields(field),
    blueprint: field.one(blueprintView, showBlueprint),
    files: field.many(userFileView, 'default', (user, ctx) => filesIn(ctx, userFileParent(user, ctx))),
    next: field.maybe(neighbourView, (user, ctx) => neighbourOf(user, ctx, true)),
    panelImage: field.value(panelImageSchema.nullable(), showImage),
    permissions: field.value(permissionsSchema, (user, ctx) =>
      isOwn(user, ctx) ? permissionsOfCaller(ctx.app, callerOf(ctx)) : permissionsOf(ctx.app, user.role),
    ),
    prev: field.maybe(neighbourView, (user, ctx) => neighbourOf(user, ctx, false)),
    roles: field.many(roleView, 'compact', (user, ctx) => rolesFor(ctx, user)),
    revision: field.extra(z.int().optional(), user => user.revision),
    status: field.extra(z.enum(['active', 'disabled', 'invited']).nullable(), user => user.status ?? null),
  }),
  {
    auth: [['avatar', 'compact'], 'permissions', 'email', 'id', 'name', 'role', 'language'],
    compact,
    default: [...defaultView],
    panel: [
      ['avatar', 'compact'], 'blueprint', 'content', 'email', 'id', 'language', 'name', ['next', ['id', 'name']], 'options',
      ['prev', ['id', 'name']], 'role', 'username', 'uuid',
    ], // prettier-ignore
  },
)

const isOwn = (user: User, ctx: RequestContext) => accountOf(ctx) === user.id

async function showContent({ id, role }: User, ctx: RequestContext): Promise<Record<string, unknown>> {
  const form = formIn(formOf(ctx.app, role), await ctx.language())
  const stored = await readStored(ctx.app.store, ownerOfUser(id), await ctx.language(), form.fields)
  const content = await readContent(form, stored)
  return ctx.pick(ctx, form.fields, content, ownerOfUser(id))
}

// Lists show many accounts: their neighbours are read in one batch.
type Neighbours = Record<'before' | 'after', ReturnType<typeof neighbours>>

function neighbours(ctx: RequestContext, after: boolean) {
  const visible = visibleAccounts(ctx)
  return batched(
    (store, ids) => selectUserNeighbours(store, visible, ids, after),
    row => row.of,
  )
}

/** One batch per request: neighbours depend on what the caller may see. */
const neighboursBy = new WeakMap<RequestContext, Neighbours>()

async function neighbourOf({ id }: User, ctx: RequestContext, after: boolean): Promise<User | null> {
  let by = neighboursBy.get(ctx)
  if (!by) neighboursBy.set(ctx, (by = { before: neighbours(ctx, false), after: neighbours(ctx, true) }))
  return (await by[after ? 'after' : 'before'](ctx.app.store, id)) ?? null
}

/** The roles that the caller may give to the account; the last administrator keeps theirs. */
export async function rolesFor(ctx: RequestContext, user: User): Promise<Role[]> {
  const { app } = ctx
  const found = changeableRoles(ctx, user.role, isOwn(user, ctx))
  if (found.length < 2 || user.role !== 'admin' || (await hasOtherAdmin(app.store, user.id))) return found
  return found.filter(({ name }) => name === user.role)
}

/** The image of the account in lists of the panel. */
async function showImage(user: User, ctx: RequestContext) {
  const avatar = await findAvatar(user, ctx)
  const { image } = userBlueprintOf(ctx.app, user.role)
  return panelImage(userImage, [image], { source: avatar ? imageSourceOf(avatar, ctx) : undefined })
}

/** What the caller may do with this account: nothing while another account has the edit lock. */
async function showOptions(user: User, ctx: RequestContext): Promise<Record<string, boolean>> {
  const { app } = ctx
  const actions = catalogue.users
  if (await lockedBy(ctx, ownerOfUser(user.id))) return Object.fromEntries(actions.map(action => [action, false]))
  const own = isOwn(user, ctx)
  const isLast = user.role === 'admin' && !(await hasOtherAdmin(app.store, user.id))
  const rules: Partial<Record<string, boolean>> = {
    changeRole: !isLast && isChangeable(ctx, user.role, own),
    create: !own, // the own account already exists
    delete: !isLast,
  }
  return Object.fromEntries(
    actions.map(action => [action, rules[action] !== false && isAccountActionAllowed(ctx, user, `users.${action}`)]),
  )
}

function showBlueprint(user: User, ctx: RequestContext): BlueprintModel {
  return { blueprint: userBlueprintOf(ctx.app, user.role), link: linkOfUser(user, ctx) }
}

/** A role without a blueprint has no fields. */
export function userBlueprintOf({ blueprints }: App, role: string): Blueprint {
  return blueprints.user(role) ?? { ...nothing, name: `users/${role}`, title: role }
}

const nothing = {
  icon: undefined,
  image: undefined,
  options: {},
  tabs: [],
  sections: new Map<string, never>(),
  fields: new Map<string, never>(),
  broken: new Set<string>(),
}

/** The path in the panel. */
export const linkOfUser = (user: { id: string }, ctx: RequestContext): string =>
  accountOf(ctx) === user.id ? '/account' : `/users/${user.id}`
