import { z } from 'zod'
import { collection, model } from '../http/answer.ts'
import { endpoint } from '../http/endpoint.ts'
import { listed } from '../http/listed.ts'
import { pagingQuery } from '../http/paging.ts'
import { selectionQuery } from '../http/view.ts'
import { creatableRoles, isChangeable, listRoles, roleOf } from './roles.ts'
import { roleView } from './view.ts'

/** The roles of this site. They are described by the blueprints of their users. */
export const roles = {
  list: endpoint({
    method: 'GET',
    path: '/roles',
    summary: 'List the roles',
    access: 'session',
    query: z.strictObject({
      ...selectionQuery,
      ...pagingQuery,
      /** `created`: only those the caller may make accounts of; `changed`: only those whose accounts may get another one. */
      canBe: z.string().max(100).optional(),
    }),
    answer: collection(roleView.schema),
    handler: async ({ look, app, caller, query }) => {
      const found =
        query.canBe === 'created'
          ? creatableRoles(app, caller)
          : listRoles(app).filter(({ name }) => query.canBe !== 'changed' || isChangeable(app, caller, name, false))
      return listed(look, roleView, found, query, 'compact')
    },
  }),

  get: endpoint({
    method: 'GET',
    path: '/roles/:name',
    summary: 'Retrieve a role',
    access: 'session',
    query: z.strictObject({ ...selectionQuery }),
    answer: model(roleView.schema),
    handler: async ({ look, app, params, query }) => roleView.show(look, roleOf(app, params.name), query),
  }),
}
