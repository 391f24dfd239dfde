import type { Program } from './programs.ts'

export const password = 'seven quiet herons over water'
/** The throttle allows five concurrent attempts per account, so many users need many accounts. */
export const accounts = Array.from({ length: 60 }, (_, index) => `person${index}@example.org`)

type Target = Pick<Program, 'url'>

/** The cookies of a new session. */
export async function signedIn(quoin: Target): Promise<string> {
  const response = await post(quoin, accounts[0]!)
  if (response.status !== 200) throw new Error(`sign-in was answered with ${response.status}`)
  const cookies = response.headers.getSetCookie().map(line => line.split(';')[0]!)
  return cookies.join('; ')
}

let turn = 0

export async function login(quoin: Target): Promise<Response> {
  const response = await post(quoin, accounts[turn++ % accounts.length]!)
  await response.arrayBuffer()
  return response
}

let address = 0

function post(quoin: Target, email: string): Promise<Response> {
  const number = ++address
  const ip = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ email, password }),
  }
  const ask = () => fetch(`${quoin.url}/api/auth/login`, init)
  return ask().catch(ask) // retries once: the server may have closed the idle connection
}
