import { done } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { userTarget } from '../target.ts'
import { sendInvitation } from './invitation.ts'

export const invitations = {
  invite: endpoint({
    method: 'POST',
    path: '/users/:id/invitation',
    summary: 'Send the invitation to a new account again',
    description:
      "Sends a new link by mail; former links stop working. Only for accounts that were not activated yet. Needs every right of the account's role.",
    access: 'users.create',
    authorizedByOperation: true,
    fresh: true,
    on: userTarget,
    answer: done,
    handler: ({ ctx, target }) => sendInvitation(ctx, target.user),
  }),
}
