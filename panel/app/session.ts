import type { Client } from '../../client/client.ts'
import { QuoinError } from '../../client/client.ts'
import { setLanguage } from '../texts/texts.ts'
import { client } from './client.ts'
import { rememberSignedIn } from './early.ts'
import { requestSignIn } from './sign-in-request.ts'
import { createStore } from './store.ts'

/** The response to a completed sign-in or installation. */
export type SignInResult = Omit<
  Extract<Awaited<ReturnType<Client['auth']['login']>>, { user: unknown }>,
  'code' | 'status'
>
export type User = SignInResult['user']
export type SignedIn = Pick<SignInResult, 'user' | 'session'>

/** The properties that the whole panel needs. `early.js` sends the same request, so both must match. */
const readSystem = () =>
  client.system.get({
    select: { isInstalled: '', siteUrl: '', title: '', languages: ['code', 'default', 'direction', 'name'] },
  })

type AnySystem = Awaited<ReturnType<typeof readSystem>>
export type AccountSystem = Extract<AnySystem, { languages: unknown }>
type AnonymousSystem = Exclude<AnySystem, AccountSystem>
/** What the sign-in form knows. The server shows other properties to a client with credentials. */
export type System = Partial<AnonymousSystem> & Pick<AnySystem, 'isInstalled' | 'title'>

export type SessionState =
  | { status: 'loading' }
  | { status: 'failed'; error: unknown }
  /** Signed in with a role that lacks the permission `access.panel`. */
  | { status: 'denied' }
  | { status: 'out'; system: System; /** Why the previous session has ended. */ reason?: string }
  | ({ status: 'in'; system: AccountSystem } & SignedIn)

export const session = createStore<SessionState>({ status: 'loading' })

/** Reads the session from the server: when the panel starts, and after the account has changed. */
export async function loadSession(): Promise<void> {
  try {
    const [system, caller] = await Promise.all([readSystem(), findCaller()])
    if ('session' in caller && 'languages' in system) return await enter(system, caller)
    // Keep the screen, which may have unsaved input, and open the sign-in dialog over it.
    if (session.get().status === 'in')
      return (await requestSignIn('signin')) === undefined ? undefined : await loadSession()
    await leave(system, 'reason' in caller ? caller.reason : undefined)
  } catch (error) {
    if (isDenied(error)) await deny()
    else if (session.get().status !== 'in') session.set({ status: 'failed', error })
  }
}

/** The user has ended the session: show the sign-in form. */
export async function clearSession(): Promise<void> {
  await leave(await readSystem())
}

async function findCaller(): Promise<SignedIn | { reason?: string }> {
  try {
    const { data, session: current } = await client.auth.get()
    return current ? { user: data, session: current } : {}
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

async function enter(system: AccountSystem, signedIn: SignedIn): Promise<void> {
  rememberSignedIn(signedIn.user.language)
  await setLanguage(signedIn.user.language)
  session.set({ status: 'in', system, ...signedIn })
}

async function leave(system: System, reason?: string): Promise<void> {
  rememberSignedIn(undefined)
  await setLanguage(system.translation?.id ?? 'en')
  session.set({ status: 'out', system, ...(reason !== undefined && { reason }) })
}

/** Opens the panel after a sign-in. */
export async function completeSignIn({ user, session: started }: SignInResult): Promise<void> {
  if (!can(user, 'access.panel')) return deny()
  const system = await readSystem()
  // Without languages the session has already ended again.
  return 'languages' in system ? enter(system, { user, session: started }) : leave(system)
}

/** After a sign-in in the dialog over a screen, which stays as it is. Returns true if it is the same user. */
export function resumeSession({ user, session: started }: SignInResult): boolean {
  const before = session.get()
  if (before.status !== 'in' || before.user.id !== user.id) return false
  session.set({ ...before, session: started })
  return true
}

export async function signOut(): Promise<void> {
  await client.auth.logout()
  rememberSignedIn(undefined)
  // Clears all data of the user from memory.
  location.reload()
}

/** For components inside the shell, where a user is always signed in. */
export function useSession(): SignedIn & { system: AccountSystem } {
  const state = session.use()
  if (state.status !== 'in') throw new Error('nobody is signed in')
  return state
}

type Permissions = User['permissions']
export type Permission = {
  [Category in keyof Permissions]: `${Category}.${keyof Permissions[Category] & string}`
}[keyof Permissions]

/** Whether the role has the permission at all. The `options` of a resource say whether it holds for that resource. */
export function can({ permissions }: User, permission: Permission): boolean {
  const [category, action] = permission.split('.') as [keyof Permissions, string]
  const actions: Readonly<Record<string, boolean | undefined>> = permissions[category]
  return actions[action] === true
}

/** The same for what an extension requires: a permission, which may be its own, or nothing but an account. */
export function hasAccess({ permissions }: User, access: string | undefined): boolean {
  const [category = '', action] = access?.split('.') ?? []
  const categories: Readonly<Record<string, Readonly<Record<string, boolean | undefined>>>> = permissions
  return action === undefined || categories[category]?.[action] === true
}
