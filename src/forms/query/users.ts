import type { QueryValue } from '../../blueprints/query.ts'
import { readStored } from '../../content/stored.ts'
import { rowsIn } from '../../http/list.ts'
import { userFileParent } from '../../groups/users/files.ts'
import { findBySearchTerm, listAccounts } from '../../groups/users/listing/list.ts'
import { formOf, ownerOfUser, type UserRow } from '../../groups/users/users.ts'
import { fieldValues } from './fields.ts'
import { filesOf } from './files.ts'
import { type ModelKind, listValue } from './lists.ts'
import type { QueryContext } from './context.ts'

export function userKind(context: QueryContext): ModelKind<UserRow> {
  return {
    name: 'user',
    value: user => userValue(context, user),
    accessors: {
      id: ({ id }) => id,
      field: (user, name) =>
        Object.hasOwn(columnValues, name) ? columnValues[name as keyof typeof columnValues](user) : undefined,
      texts: ({ id, name, email, role }) => ({ id, name, email, role }),
      weightedFields: ['id'],
    },
    filters: { role: ({ role }, names) => names.length === 0 || names.includes(role) },
  }
}

const maxUsers = 1000

/** The first 1,000 accounts that the caller may list, by name. */
export function usersOf({ budget, kinds }: QueryContext): QueryValue {
  const { ctx } = budget
  const rows = async () => rowsIn(await listAccounts(ctx, { page: 1, limit: maxUsers }))
  return listValue(kinds.user, () => budget.read('users', rows), {
    async readPage({ searchTerm, ...paging }) {
      return searchTerm === '' ? listAccounts(ctx, paging) : findBySearchTerm(ctx, searchTerm, paging)
    },
  })
}

const columnValues = {
  id: (user: UserRow) => user.id,
  email: (user: UserRow) => user.email,
  language: (user: UserRow) => user.language,
  name: (user: UserRow) => user.name,
  role: (user: UserRow) => user.role,
  username: (user: UserRow) => user.name || user.email,
  uuid: (user: UserRow) => ownerOfUser(user.id),
}

async function userValue(context: QueryContext, user: UserRow): Promise<QueryValue> {
  const { ctx, read } = context.budget
  const { fields } = formOf(ctx.app, user.role)
  const owner = ownerOfUser(user.id)
  const stored = await read(`content ${owner}`, async () =>
    readStored(ctx.app.store, owner, await ctx.language(), fields),
  )
  const content = fieldValues(context, fields, stored)
  const columns = Object.fromEntries(Object.entries(columnValues).map(([name, valueOf]) => [name, valueOf(user)]))
  return { ...content, ...filesOf(context, userFileParent(user, ctx)), content, ...columns }
}
