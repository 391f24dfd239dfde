import { z } from 'zod'
import { requestOptionsSchema } from '../../access/factors/passkeys/passkeys.ts'
import { type Answer, answer, withViews } from '../../http/answer.ts'
import type { Session } from '../../access/actor.ts'
import { sessionSchema, showSession } from '../../access/session/view.ts'
import { type SignedInUser, signedInUserSchema } from '../users/signed-in.ts'
import { userView } from '../users/view.ts'
import type { NextStep } from './auth.ts'
import type { PendingStep } from './start.ts'

type ShownUser = Awaited<ReturnType<typeof userView.show>>

export interface CallerValue {
  user: ShownUser
  session?: Session | undefined
  csrf?: string | undefined
}

const proof = { session: sessionSchema.optional(), csrf: z.string().optional() }

/** `GET /api/auth`: a model and its session. Callers with an API token or Basic credentials have no session. */
export const callerAnswer = withViews(
  answer(
    z.object({
      code: z.literal(200),
      data: userView.schema,
      status: z.literal('ok'),
      type: z.literal('model'),
      ...proof,
    }),
    ({ user, session, csrf }: CallerValue) => ({
      code: 200 as const,
      data: user,
      status: 'ok' as const,
      type: 'model' as const,
      ...(session && { session: showSession(session), csrf: csrf! }),
    }),
  ),
  userView.schema,
  'auth',
)

const signedInSchema = z.object({
  code: z.literal(200),
  status: z.literal('ok'),
  user: signedInUserSchema,
  session: sessionSchema,
  csrf: z.string(),
})

const challengeSchema = z.object({
  code: z.literal(202),
  status: z.literal('challenge'),
  challenge: z.object({
    id: z.string(),
    kind: z.enum(['second-factor', 'passkey', 'reset']),
    methods: z.array(z.string()),
    expiresIn: z.int(),
    attemptsLeft: z.int(),
    publicKey: requestOptionsSchema.optional(),
  }),
})

/** The password was set by a reset or an invitation; the client signs in next. */
const nextSchema = z.object({ code: z.literal(200), status: z.literal('ok'), next: z.literal('login') })

export type LoginValue = { user: SignedInUser; session: Session; csrf: string } | PendingStep | NextStep
export type LoginJson = z.output<typeof signedInSchema> | z.output<typeof nextSchema> | z.output<typeof challengeSchema>

/** 202, not 200, while another step is required: a client that only knows 200 fails closed. */
export const loginAnswer: Answer<LoginValue, LoginJson> = {
  schemas: { 200: z.union([signedInSchema, nextSchema]), 202: challengeSchema },
  wrap(value) {
    if ('next' in value) return { status: 200, json: { code: 200, status: 'ok', next: value.next } }
    if ('user' in value) {
      const { user, session, csrf } = value
      return { status: 200, json: { code: 200, status: 'ok', user, session: showSession(session), csrf } }
    }
    const { kind: _, step: kind, ...challenge } = value
    return { status: 202, json: { code: 202, status: 'challenge', challenge: { kind, ...challenge } } }
  },
}
