import { z } from 'zod'
import { answer, collection, done } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { showList, listQuery } from '../../../http/list.ts'
import { userTarget } from '../target.ts'
import { endOneSession, endSessions, listSessions } from './sessions.ts'
import { sessionView } from './view.ts'

export const sessions = {
  list: endpoint({
    method: 'GET',
    path: '/users/:id/sessions',
    summary: 'List the sessions of an account',
    description: 'Where the account is signed in: browser, network, times, and which session asks.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    on: userTarget,
    query: listQuery,
    answer: collection(sessionView.schema),
    handler: async ({ ctx, target, query }) => showList(ctx, sessionView, await listSessions(ctx, target.user), query),
  }),

  endAll: endpoint({
    method: 'DELETE',
    path: '/users/:id/sessions',
    summary: 'End all sessions of an account but the one that asks',
    description:
      'All others are refused on their next request. Answers how many there were. For another account it needs every right of its role.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: true,
    on: userTarget,
    answer: answer(
      z.object({ status: z.literal('ok'), message: z.literal('ok'), code: z.literal(200), ended: z.int() }),
      (ended: number) => ({ status: 'ok', message: 'ok', code: 200, ended }) as const,
    ),
    handler: ({ ctx, target }) => endSessions(ctx, target.user),
  }),

  end: endpoint({
    method: 'DELETE',
    path: '/users/:id/sessions/:session',
    summary: 'End a session',
    description: 'It is refused on its next request. For another account it needs every right of its role.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: true,
    on: userTarget,
    answer: done,
    handler: ({ ctx, target, params }) => endOneSession(ctx, target.user, params.session),
  }),
}
