import { z } from 'zod'
import { answer, pagination, withViews } from '../../../http/answer.ts'
import { viewOf } from '../../../http/view.ts'
import type { ListedToken } from './tokens.ts'

const time = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString())

/** An API token with its name and prefix, so that its owner recognises it. Never the token. */
export const tokenView = viewOf<ListedToken>('Token')(
  field => ({
    id: field.value(z.string(), token => token.id),
    name: field.value(z.string(), token => token.name),
    prefix: field.value(z.string(), token => token.prefix),
    scopes: field.value(z.array(z.string()), token => JSON.parse(token.scopes) as string[]),
    created: field.value(z.string(), token => time(token.created_at)!),
    expires: field.value(z.string().nullable(), token => time(token.expires_at)),
    lastUsed: field.value(z.string().nullable(), token => time(token.last_used_at)),
  }),
  {},
)

const listSchema = z.object({
  code: z.literal(200),
  data: z.array(tokenView.schema),
  pagination,
  readScopes: z.array(z.string()).describe('For a new token that only reads pages, files and the site.'),
  status: z.literal('ok'),
  type: z.literal('collection'),
})

/** A page of the tokens, with what the form for a new one needs. */
export const tokenList = withViews(
  answer<Pick<z.output<typeof listSchema>, 'data' | 'pagination' | 'readScopes'>, typeof listSchema>(
    listSchema,
    value => ({ code: 200, ...value, status: 'ok', type: 'collection' }),
  ),
  tokenView.schema,
  'default',
)

type ShownToken = Awaited<ReturnType<typeof tokenView.show>>

/** The model and the token, which is shown only once. */
export const createdToken = answer(
  z.object({
    code: z.literal(200),
    data: tokenView.schema,
    status: z.literal('ok'),
    token: z.string(),
    type: z.literal('model'),
  }),
  ({ data, token }: { data: ShownToken; token: string }) =>
    ({ code: 200, data, status: 'ok', token, type: 'model' }) as const,
)
