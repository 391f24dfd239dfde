import { z } from 'zod'
import { answer, collection, done } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { showList, listQuery } from '../../../http/list.ts'
import { user } from '../target.ts'
import { endOneSession, endSessions, listSessions } from './sessions.ts'
import { sessionView } from './view.ts'

export const sessions = {
  list: endpoint({
    method: 'GET',
    path: '/users/:id/sessions',
    summary: 'List the sessions of an account',
    access: 'users.changePassword',
    on: user,
    query: listQuery,
    answer: collection(sessionView.schema),
    handler: async ({ ctx, app, target, query }) =>
      showList(ctx, sessionView, await listSessions(app, target.user), query),
  }),

  endAll: endpoint({
    method: 'DELETE',
    path: '/users/:id/sessions',
    summary: 'End all sessions of an account but the one that asks',
    access: 'users.changePassword',
    fresh: true,
    on: user,
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
    access: 'users.changePassword',
    fresh: true,
    on: user,
    answer: done,
    handler: ({ ctx, target, params }) => endOneSession(ctx, target.user, params.session),
  }),
}
