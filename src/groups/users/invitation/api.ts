import { done } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { by } from '../../../access/session/identify.ts'
import { managing } from '../rules.ts'
import { user } from '../target.ts'
import { sendInvitation } from './invitation.ts'

export const invitations = {
  invite: endpoint({
    method: 'POST',
    path: '/users/:id/invitation',
    summary: 'Send the owner of a new account the link to activate it, again',
    access: 'users.create',
    fresh: true,
    on: user,
    answer: done,
    handler: ({ app, exchange, caller, target }) =>
      sendInvitation(app, target.user, by(caller, exchange), managing(app, caller, 'users.create')),
  }),
}
