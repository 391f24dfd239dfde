import { z } from 'zod'
import { model } from '../http/answer.ts'
import { endpoint } from '../http/endpoint.ts'
import { selectionQuery } from '../http/view.ts'
import { user } from './target.ts'
import { userView } from './view.ts'

/** Accounts, and how they sign in. `:id` is an id, an e-mail address, or `account` for the caller's own. */
export const users = {
  get: endpoint({
    method: 'GET',
    path: '/users/:id',
    summary: 'Retrieve an account',
    access: 'session',
    on: user,
    query: z.strictObject({ ...selectionQuery, pretty: z.string().optional() }),
    answer: model(userView.schema),
    handler: ({ app, caller, target, query }) => userView.show({ app, caller }, target.user, query),
  }),
}
