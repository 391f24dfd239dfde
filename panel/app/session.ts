import type { Client } from '../../client/client.ts'
import { QuoinError } from '../../client/client.ts'
import { setLanguage } from '../texts/texts.ts'
import { client } from './client.ts'
import { rememberSignedIn } from './early.ts'
import { ask } from './interruption.ts'
import { createStore } from './store.ts'

type Caller = Awaited<ReturnType<Client['auth']['get']>>
/** The site as `GET /api/system` shows it: little for strangers, more for those who are signed in. */
export type System = Awaited<ReturnType<Client['system']['get']>>
export type User = Required<Pick<Caller['data'], 'email' | 'id' | 'name' | 'role' | 'language' | 'permissions'>> &
  Pick<Caller['data'], 'avatar'>
export type Session = NonNullable<Caller['session']>

export interface SignedIn {
  user: User
  session: Session
}

export type SessionState =
  | { status: 'loading' }
  | { status: 'failed'; error: unknown }
  /** Signed in with a role that has no access to the panel. */
  | { status: 'denied' }
  | { status: 'out'; system: System; /** Why a session that there was is over. */ reason?: string }
  | ({ status: 'in'; system: System } & SignedIn)

/** What the panel needs of it everywhere; strangers are shown the same whatever they ask. `public/early.js` asks for it, too. */
const shownSystem = { select: ['frontEnd', 'isInstalled', 'languages', 'title'] }

/** Who is signed in. */
export const session = createStore<SessionState>({ status: 'loading' })

/** Asks the server anew: when the panel starts, and when the account has changed. */
export async function loadSession(): Promise<void> {
  try {
    const [system, caller] = await Promise.all([client.system.get(shownSystem), findCaller()])
    if ('session' in caller) return await enter(system, caller)
    // Somebody is at work here: nothing is taken off the screen without being asked.
    if (session.get().status === 'in') return (await ask('signin')) === undefined ? undefined : await loadSession()
    await leave(system, caller.reason)
  } catch (error) {
    if (isDenied(error)) await deny()
    else if (session.get().status !== 'in') session.set({ status: 'failed', error })
  }
}

/** The session has been ended on purpose: back to the sign-in. */
export async function forgetSession(): Promise<void> {
  await leave(await client.system.get())
}

async function findCaller(): Promise<SignedIn | { reason?: string }> {
  try {
    const { data, session: current } = await client.auth.get()
    return current ? { user: data as User, session: current } : {}
  } catch (error) {
    if (!(error instanceof QuoinError) || error.status !== 401 || isDenied(error)) throw error
    const { reason } = error.details
    return typeof reason === 'string' ? { reason } : {}
  }
}

const isDenied = (error: unknown) => error instanceof QuoinError && error.key === 'error.access.panel'

async function deny(): Promise<void> {
  const { translation } = await client.system.get()
  await setLanguage(translation?.id ?? 'en')
  session.set({ status: 'denied' })
}

async function enter(system: System, signedIn: SignedIn): Promise<void> {
  rememberSignedIn(signedIn.user.language)
  await setLanguage(signedIn.user.language)
  session.set({ status: 'in', system, ...signedIn })
}

async function leave(system: System, reason?: string): Promise<void> {
  rememberSignedIn(undefined)
  await setLanguage(system.translation?.id ?? 'en')
  session.set({ status: 'out', system, ...(reason !== undefined && { reason }) })
}

/** What a login or an installation answers with when it is complete. */
export interface Admitted {
  user: unknown
  session: Session
  csrf: string
}

/** After a sign-in: the panel opens. */
export async function admit({ user, session: started }: Admitted): Promise<void> {
  if (!can(user as User, 'access.panel')) return deny()
  const system = await client.system.get(shownSystem)
  return enter(system, { user: user as User, session: started })
}

/** After a sign-in over the screen: nothing on it is touched. True if it is the same person. */
export function admitAgain({ user, session: started }: Admitted): boolean {
  const before = session.get()
  if (before.status !== 'in' || before.user.id !== (user as User).id) return false
  session.set({ ...before, session: started })
  return true
}

export async function signOut(): Promise<void> {
  await client.auth.logout()
  rememberSignedIn(undefined)
  // Nothing of the person stays in memory.
  location.reload()
}

/** Inside of the shell there is always somebody. */
export function useSession(): SignedIn & { system: System } {
  const state = session.use()
  if (state.status !== 'in') throw new Error('nobody is signed in')
  return state
}

type Permissions = User['permissions']
export type Permission = {
  [Category in keyof Permissions]: `${Category}.${keyof Permissions[Category] & string}`
}[keyof Permissions]

/** Whether the role allows it at all; what it allows on one thing is said by the `options` of that thing. */
export function can({ permissions }: User, permission: Permission): boolean {
  const [category, action] = permission.split('.') as [keyof Permissions, string]
  return (permissions[category] as Record<string, boolean>)[action] === true
}
