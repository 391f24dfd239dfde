import { accountOf, actingRole } from '../../access/actor.ts'
import { z } from 'zod'
import { collection, model } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { showList } from '../../http/list.ts'
import { pagingQuery } from '../../http/paging.ts'
import { selectionQuery } from '../../http/query-schemas.ts'
import { hasOtherAdmin } from './queries.ts'
import { creatableRoles, isChangeable, listRoles, type Role, roleOf } from './roles.ts'
import { roleView } from './view.ts'
import type { RequestContext } from '../../http/context.ts'

/** The roles of the site, defined by the blueprints in `users/`. */
export const roles = {
  list: endpoint({
    method: 'GET',
    path: '/roles',
    summary: 'List the roles',
    description:
      'The roles of the site, from the blueprints in `users/`, and `admin`. `canBe=created` lists those for which the caller may create accounts, `canBe=changed` those whose accounts may get another role.',
    access: 'session',
    query: z.strictObject({
      ...selectionQuery,
      ...pagingQuery,
      /**
       * `created`: only roles for which the caller may create accounts; `changed`: only roles whose accounts may get
       * another role.
       */
      canBe: z.string().max(100).optional(),
    }),
    answer: collection(roleView.schema, 'compact'),
    handler: async ({ ctx, app, query }) => {
      const found =
        query.canBe === 'created'
          ? creatableRoles(ctx)
          : query.canBe === 'changed'
            ? await changedRoles(ctx)
            : listRoles(app)
      return showList(ctx, roleView, found, query, 'compact')
    },
  }),

  get: endpoint({
    method: 'GET',
    path: '/roles/:name',
    summary: 'Retrieve a role',
    description: 'A role with its title, description and permissions.',
    access: 'session',
    query: z.strictObject({ ...selectionQuery }),
    answer: model(roleView.schema),
    handler: async ({ ctx, app, params, query }) => roleView.show(ctx, roleOf(app, params.name), query),
  }),
}

/** Roles whose accounts may get another role; `admin` is left out if the caller is the last administrator. */
async function changedRoles(ctx: RequestContext): Promise<Role[]> {
  const { app } = ctx
  const found = listRoles(app).filter(({ name }) => isChangeable(ctx, name, false))
  const account = accountOf(ctx)
  const isLastAdmin = actingRole(ctx) === 'admin' && account !== undefined && !(await hasOtherAdmin(app.store, account))
  return isLastAdmin ? found.filter(({ name }) => name !== 'admin') : found
}
