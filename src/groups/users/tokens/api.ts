import { z } from 'zod'
import { done } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { showList, listQuery } from '../../../http/list.ts'
import { grantableReadScopes } from '../../../access/authorize/tokens.ts'
import { userTarget } from '../target.ts'
import { createToken, listTokens, revokeToken } from './tokens.ts'
import { createdToken, tokenList, tokenView } from './view.ts'

const day = 24 * 60 * 60 // seconds

/** API tokens: programs act for an account, limited to the permissions of its owner and to the scopes. */
export const tokens = {
  list: endpoint({
    method: 'GET',
    path: '/users/:id/tokens',
    summary: 'List the API tokens of an account',
    description: 'Names, scopes, times of creation, last use and expiry. The tokens themselves are never shown again.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    on: userTarget,
    query: listQuery,
    answer: tokenList,
    handler: async ({ ctx, target, query }) => ({
      ...(await showList(ctx, tokenView, await listTokens(ctx, target.user), query)),
      readScopes: grantableReadScopes(ctx, target.user),
    }),
  }),

  create: endpoint({
    method: 'POST',
    path: '/users/:id/tokens',
    summary: 'Create an API token, which is shown this once; also for the account of a service',
    description:
      'A token for programs: it may what its account may, cut down to its scopes. `lifetime` is in seconds; without it the token does not expire. For another account it needs every right of its role.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: 'strong',
    on: userTarget,
    body: z.strictObject({
      name: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .regex(/^\P{Cc}*$/u),
      scopes: z.array(z.string().max(100)).min(1).max(100),
      /** In seconds; without it the token does not expire. */
      lifetime: z
        .int()
        .min(60)
        .max(3660 * day)
        .optional(),
    }),
    answer: createdToken,
    handler: async ({ ctx, target, body }) => {
      const { token, ...row } = await createToken(ctx, target.user, body)
      return { data: await tokenView.show(ctx, row), token }
    },
  }),

  revoke: endpoint({
    method: 'DELETE',
    path: '/users/:id/tokens/:token',
    summary: 'Remove an API token',
    description: 'Programs that use it are refused on their next request.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: true,
    on: userTarget,
    answer: done,
    handler: ({ ctx, target, params }) => revokeToken(ctx, target.user, params.token),
  }),
}
