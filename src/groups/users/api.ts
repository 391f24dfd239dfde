import { z } from 'zod'
import { collectionBody } from '../../content/collection.ts'
import { contentResource } from '../../content/resource.ts'
import { sendRevision, withoutRevision } from '../../content/revision.ts'
import type { FindRequest, Versioned } from '../../content/versioned.ts'
import { versionsOf } from '../../content/versions.ts'
import { visibleReferences } from '../../content/visible.ts'
import { refuseUnknown, strictQuery } from '../../content/strict.ts'
import { filesOf } from '../files/api.ts'
import { collection, done, model } from '../../http/answer.ts'
import { endpoint, forAccounts, mount } from '../../http/endpoint.ts'
import { showList, showPage, type Slices } from '../../http/list.ts'
import type { RequestContext } from '../../http/context.ts'
import { pagingQuery } from '../../http/paging.ts'
import { selectionQuery } from '../../http/query-schemas.ts'
import type { Selection } from '../../http/view.ts'
import { nobody } from '../../blueprints/permissions/permissions.ts'
import { roleView } from '../roles/view.ts'
import { contextForFileParent } from '../../access/authorize/authorize.ts'
import { avatar } from './avatar/api.ts'
import { emails } from './email/api.ts'
import { events } from './events/api.ts'
import { invitations } from './invitation/api.ts'
import { userFileParent } from './files.ts'
import { findByQuery, findBySearchTerm, listAccounts } from './listing/list.ts'
import { passkeys } from './passkeys/api.ts'
import { passwords } from './password/api.ts'
import { recoveryCodes } from './recovery-codes/api.ts'
import { sessions } from './sessions/api.ts'
import { settings } from './settings/api.ts'
import { userTarget } from './target.ts'
import { tokens } from './tokens/api.ts'
import { totp } from './totp/api.ts'
import {
  changeLanguage,
  changeName,
  changeRole,
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  findUser,
  lockUserModel,
  userModelOf,
  noUserOfFiles,
  ruledUser,
  updateContent,
  type UserRow,
} from './users.ts'
import { rolesFor, userFileView, userView } from './view.ts'

const selectionSchema = z.strictObject({ ...selectionQuery })
const listing = { ...selectionQuery, ...pagingQuery }
const content = z.record(z.string().min(1).max(100), z.unknown())
const word = z.string().min(1).max(100)

const { show, readChange, respondWithUpdated, versioned } = contentResource({
  view: userView,
  modelOf: (app, { user: account }: { user: Pick<UserRow, 'id' | 'role'> }) => userModelOf(app, account),
  reload: (ctx, { user: account }) => findUser(ctx.app, account.id),
  revisionOf: (row: UserRow) => row.revision,
})

/** Accounts, and how they sign in. `:id` is an id, an e-mail address, or `account` for the caller's own. */
export const users = {
  list: endpoint({
    method: 'GET',
    path: '/users',
    summary: 'List the accounts',
    description: 'The accounts that the caller may see, by name.',
    access: 'session',
    query: z.strictObject(listing),
    answer: collection(userView.schema, 'compact'),
    handler: async ({ ctx, query }) => shown(ctx, await listAccounts(ctx, query), query),
  }),

  create: endpoint({
    method: 'POST',
    path: '/users',
    summary: 'Create an account',
    description: [
      'Creates an account with a role that the caller may give. Without a password it is invited: its owner gets a mail with a link to choose one.',
      'Creating an administrator needs a recent sign-in.',
    ],
    access: 'users.create',
    authorizedByOperation: true,
    selects: z.strictObject({ ...selectionQuery, ...strictQuery }),
    body: z.strictObject({
      email: z.string().min(1).max(1000),
      /** Without a password the owner gets an invitation mail to choose one. */
      password: z.string().min(1).max(5000).optional(),
      name: z.string().max(500).optional(),
      role: word.optional(),
      language: word.optional(),
      content: content.optional(),
      id: word.optional(),
    }),
    answer: model(userView.schema),
    handler: async ({ ctx, app, selection, body }) => {
      const role = app.blueprints.role(body.role ?? nobody)?.role ?? nobody
      const account = userModelOf(app, { id: '', role })
      await refuseUnknown(ctx, selection.strict, account, body.content)
      const shownReferences = await visibleReferences(ctx, account, body.content ?? {})
      const id = await createUser(ctx, { ...body, role, shownReferences })
      return show(ctx, { user: { id, role } }, selection)
    },
  }),

  search: endpoint({
    method: 'GET',
    path: '/users/search',
    summary: 'Find accounts by words',
    description:
      'The accounts in whose name, address, role, id or content the words occur, the best first, as far as the caller may see them.',
    access: 'session',
    query: z.strictObject({ ...listing, q: z.string().max(1000).default('') }),
    answer: collection(userView.schema, 'compact'),
    handler: async ({ ctx, query }) => shown(ctx, await findBySearchTerm(ctx, query.q, query), query),
  }),

  query: endpoint({
    method: 'POST',
    path: '/users/search',
    summary: 'Find accounts by filters, words and order',
    description:
      'Filters, searches and sorts the accounts that the caller may see by what the body says, and changes nothing. Unknown fields and operators are 400.',
    access: 'session',
    query: z.strictObject(listing),
    body: collectionBody,
    answer: collection(userView.schema, 'compact'),
    handler: async ({ ctx, query, body = {} }) => shown(ctx, await findByQuery(ctx, body, query), query),
  }),

  get: endpoint({
    method: 'GET',
    path: '/users/:id',
    summary: 'Retrieve an account',
    description:
      'An account with its content, role, and what the caller may do with it. Accounts that the caller may not see are 404.',
    access: 'session',
    on: userTarget,
    query: selectionSchema,
    answer: model(userView.schema),
    handler: ({ ctx, exchange, target, query }) => {
      sendRevision(exchange, target.user.revision)
      return userView.show(ctx, target.user, query)
    },
  }),

  update: endpoint({
    method: 'PATCH',
    path: '/users/:id',
    summary: 'Update the content of an account',
    description:
      "Publishes the sent fields of the role's blueprint; fields that are not sent stay. Needs the account's own rights over accounts if it is another one. Adds a version to the history.",
    access: 'users.update',
    authorizedByOperation: true,
    on: userTarget,
    query: z.strictObject({ ...selectionQuery, ...strictQuery }),
    body: content.default({}),
    answer: model(userView.schema),
    handler: async request => {
      const { ctx, app, target, body } = request
      const { sent, revision } = withoutRevision(body, userModelOf(app, target.user).form)
      const change = await readChange(request, sent)
      return respondWithUpdated(request, revision, expected => updateContent(ctx, target.user, { ...change, expected }))
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/users/:id',
    summary: 'Delete an account',
    description:
      'Moves the account with its files to the trash. Its sessions, tokens and links end at once. Needs every right of its role; the last administrator cannot be deleted.',
    access: 'users.delete',
    authorizedByOperation: true,
    fresh: true,
    on: userTarget,
    answer: done,
    handler: ({ ctx, target }) => deleteUser(ctx, target.user),
  }),

  changeName: endpoint({
    method: 'PATCH',
    path: '/users/:id/name',
    summary: 'Change the name of an account',
    description: 'The name that is shown beside what the account has written; an empty one shows the e-mail address.',
    access: 'users.changeName',
    authorizedByOperation: true,
    on: userTarget,
    query: selectionSchema,
    body: z.strictObject({ name: z.string().max(500) }),
    answer: model(userView.schema),
    handler: async ({ ctx, target, query, body }) => {
      await changeName(ctx, target.user, body.name)
      return show(ctx, target, query)
    },
  }),

  changeLanguage: endpoint({
    method: 'PATCH',
    path: '/users/:id/language',
    summary: 'Change the interface language of an account',
    description: 'The language of the panel, of messages and mails for this account.',
    access: 'users.changeLanguage',
    authorizedByOperation: true,
    on: userTarget,
    query: selectionSchema,
    body: z.strictObject({ language: word }),
    answer: model(userView.schema),
    handler: async ({ ctx, target, query, body }) => {
      await changeLanguage(ctx, target.user, body.language)
      return show(ctx, target, query)
    },
  }),

  changeRole: endpoint({
    method: 'PATCH',
    path: '/users/:id/role',
    summary: 'Change the role of an account',
    description:
      'Takes effect on the next request of the account. Needs every right of both roles. The last administrator keeps the role; content of fields that the new role lacks is no longer shown.',
    access: 'users.changeRole',
    authorizedByOperation: true,
    fresh: true,
    on: userTarget,
    query: selectionSchema,
    body: z.strictObject({ role: word }),
    answer: model(userView.schema),
    handler: async ({ ctx, target, query, body }) => {
      await changeRole(ctx, target.user, body.role)
      return show(ctx, target, query)
    },
  }),

  changeStatus: endpoint({
    method: 'PATCH',
    path: '/users/:id/status',
    summary: 'Disable an account, or enable it again',
    description:
      'A disabled account cannot sign in; its sessions and tokens end at once. Needs every right of its role; the last administrator cannot be disabled.',
    access: 'users.delete',
    authorizedByOperation: true,
    fresh: true,
    on: userTarget,
    query: selectionSchema,
    body: z.strictObject({ status: z.enum(['active', 'disabled']) }),
    answer: model(userView.schema),
    handler: async ({ ctx, target, query, body }) => {
      await (body.status === 'disabled' ? disableUser : enableUser)(ctx, target.user)
      return show(ctx, target, query)
    },
  }),

  roles: endpoint({
    method: 'GET',
    path: '/users/:id/roles',
    summary: 'List the roles that an account can be given',
    description: 'The roles that the caller may give to this account, the present one included.',
    access: 'session',
    on: userTarget,
    query: z.strictObject(listing),
    answer: collection(roleView.schema, 'compact'),
    handler: async ({ ctx, target, query }) =>
      showList(ctx, roleView, await rolesFor(ctx, target.user), query, 'compact'),
  }),

  avatar,
  files: mount(
    '/users/:id',
    forAccounts(
      filesOf({
        find: async (request: FindRequest<{ id: string }>) => {
          const ctx = contextForFileParent(request.ctx)
          const { user: found } = await userTarget({ ...request, ctx, missing: noUserOfFiles })
          return userFileParent(found, request.ctx)
        },
        view: userFileView,
      }),
    ),
  ),
  ...mount('/users/:id', versionsOf({ find: versionedUser, findToRead: versionedUser, access: 'users.update' })),
  ...emails,
  ...passwords,
  ...invitations,
  events,
  sessions,
  settings,
  totp,
  recoveryCodes,
  tokens,
  passkeys,
}

const shown = (ctx: RequestContext, found: Slices<UserRow>, query: Selection) =>
  showPage(ctx, userView, found, query, 'compact')

/** The account as a resource whose content has drafts and a history. */
async function versionedUser(request: FindRequest<{ id: string }>): Promise<Versioned> {
  const { ctx } = request
  const target = await userTarget(request)
  const { user: found } = target
  return versioned(ctx, target, {
    lock: (tx, refusal) => lockUserModel(ctx, tx, found, refusal),
    update: change => updateContent(ctx, found, change),
    ruled: () => ruledUser(found),
  })
}
