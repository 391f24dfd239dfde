import { z } from 'zod'
import { model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { ownUser, userTarget } from '../target.ts'
import { recoveryCodesLeft, renewRecoveryCodes } from './recovery-codes.ts'

/** Recovery codes: each replaces a second factor once, if the device is lost. */
export const recoveryCodes = {
  count: endpoint({
    method: 'GET',
    path: '/users/:id/recovery-codes',
    summary: 'See how many recovery codes are left',
    description: 'Each code replaces a second factor once. The codes themselves are shown only when they are made.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    duringForcedSetup: true,
    on: userTarget,
    answer: model(z.object({ left: z.int() })),
    handler: async ({ ctx, target }) => ({ left: await recoveryCodesLeft(ctx, target.user) }),
  }),

  renew: endpoint({
    method: 'POST',
    path: '/users/:id/recovery-codes',
    summary: 'Make new recovery codes instead of all former ones',
    description:
      'Ten codes, shown this once; former codes stop working. Only for the own account, if it has a second factor.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: 'strong',
    duringForcedSetup: true,
    on: ownUser,
    answer: model(z.object({ codes: z.array(z.string()) })),
    handler: async ({ ctx }) => ({ codes: await renewRecoveryCodes(ctx) }),
  }),
}
