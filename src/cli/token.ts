import { fail } from '../platform/errors.ts'
import { revokeApiToken } from '../access/session/api-tokens.ts'
import { createToken, listTokens, revokeTokens } from '../groups/users/tokens/tokens.ts'
import { findUser, listUsers, type UserRow } from '../groups/users/users.ts'
import { operatorContext, withSite } from './site.ts'
import { print, type Terminal, UsageError } from './terminal.ts'

interface TokenOptions {
  site: string
  json?: boolean
}

export interface CreateTokenOptions extends TokenOptions {
  user: string
  name: string
  scope: string[]
  days?: number
}

const day = 24 * 60 * 60

/** Prints the token. It cannot be shown again: the database has only a keyed hash of it. */
export async function create(
  { site, json = false, user: account, name, scope, days }: CreateTokenOptions,
  terminal: Terminal,
): Promise<void> {
  await withSite(site, terminal, async app => {
    const user = await findUser(app, account)
    const lifetime = days === undefined ? undefined : days * day
    const { id, token, scopes, expires_at } = await createToken(operatorContext(app), user, {
      name,
      scopes: scope,
      lifetime,
    })
    const result = { status: 'ok', id, user: user.id, token, scopes: JSON.parse(scopes) as string[] }
    terminal.stderr.write(json ? '' : `A token for ${user.email}. It is shown this once:\n`)
    print(terminal, json, { ...result, expires: timeOf(expires_at) }, token)
  })
}

/** Lists the tokens of one account, or of all. */
export async function list(
  { site, json = false, user }: TokenOptions & { user?: string },
  terminal: Terminal,
): Promise<void> {
  await withSite(site, terminal, async app => {
    const owners = user === undefined ? await listUsers(app) : [await findUser(app, user)]
    const tokens = (
      await Promise.all(owners.map(async owner => (await listTokens(operatorContext(app), owner)).map(shownOf(owner))))
    ).flat()
    const rows = tokens.map(({ id, prefix, name, email, expires, scopes }) =>
      [id, `${prefix}…`, email, name, expires ?? 'never expires', scopes.join(' ')].join('  '),
    )
    print(terminal, json, tokens, rows.join('\n') || 'There is no API token.')
  })
}

const shownOf = (owner: UserRow) => (token: Awaited<ReturnType<typeof listTokens>>[number]) => ({
  id: token.id,
  prefix: token.prefix,
  name: token.name,
  user: owner.id,
  email: owner.email,
  scopes: JSON.parse(token.scopes) as string[],
  created: timeOf(token.created_at),
  expires: timeOf(token.expires_at),
  lastUsed: timeOf(token.last_used_at),
})

const timeOf = (time: number | null) => (time === null ? null : new Date(time).toISOString())

/** Revokes one token by its id, or all tokens of an account. */
export async function revoke(
  id: string | undefined,
  { site, json = false, user: account }: TokenOptions & { user?: string },
  terminal: Terminal,
): Promise<void> {
  if (id === undefined && account === undefined) throw new UsageError('Say which token, or whose: --user <account>.')
  await withSite(site, terminal, async app => {
    const user = account === undefined ? undefined : await findUser(app, account)
    if (id === undefined) {
      const revoked = await revokeTokens(operatorContext(app), user!)
      return print(terminal, json, { status: 'ok', revoked }, `Revoked ${revoked} API tokens of ${user!.email}.`)
    }
    const isRevoked = await app.store.write(tx => revokeApiToken(operatorContext(app), tx, id, user?.id))
    if (!isRevoked) throw fail('user.token.notFound')
    print(terminal, json, { status: 'ok', revoked: 1 }, `Revoked the API token ${id}.`)
  })
}
