import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys, queryClient } from '../app/query.ts'
import { loadSession } from '../app/session.ts'

/** The id of the user's own account in API paths. */
export const ownAccount = { id: 'account' }

export const passkeysQuery = queryOptions({
  queryKey: keys.user('account', 'passkeys'),
  queryFn: async () => (await client.users.passkeys.list(ownAccount)).data,
})

export const recoveryCodesQuery = queryOptions({
  queryKey: keys.user('account', 'recovery'),
  queryFn: () => client.users.recoveryCodes.count(ownAccount),
})

export const sessionsQuery = queryOptions({
  queryKey: keys.user('account', 'sessions'),
  queryFn: async () => (await client.users.sessions.list(ownAccount)).data,
})

/** The last audit event about the authenticator app; null if there is none. */
export const totpEventQuery = queryOptions({
  queryKey: keys.user('account', 'events', 'totp'),
  queryFn: async () => {
    const { data } = await client.users.events.list({ ...ownAccount, event: 'auth.factor.' })
    const last = data.find(({ detail }) => detail?.['factor'] === 'totp')
    return last?.event ?? null
  },
})

/** After a change of the user's own account: reloads it and the session. */
export async function refreshAccount(): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: keys.user('account') }), loadSession()])
}
