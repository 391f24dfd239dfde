import type { Program } from './programs.ts'

export const password = 'seven quiet herons over water'
/** E-mail addresses. The throttle allows five concurrent attempts per account, so many clients need many accounts. */
export const accounts = Array.from({ length: 60 }, (_, index) => `person${index}@example.org`)

type Target = Pick<Program, 'url'>

/** Signs in the first account. Returns the header `Cookie` of the new session. */
export async function createSession(quoin: Target): Promise<string> {
  const response = await post(quoin, accounts[0]!)
  if (response.status !== 200) throw new Error(`sign-in was answered with ${response.status}`)
  const cookies = response.headers.getSetCookie().map(line => line.split(';')[0]!)
  return cookies.join('; ')
}

let nextAccount = 0

/** Signs in the next account, and reads the whole response. */
export async function login(quoin: Target): Promise<Response> {
  const response = await post(quoin, accounts[nextAccount++ % accounts.length]!)
  await response.arrayBuffer()
  return response
}

let clients = 0

/** Sends the request from a new IP address, so that the throttle does not limit it. */
function post(quoin: Target, email: string): Promise<Response> {
  const number = ++clients
  const ip = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ email, password }),
  }
  const send = () => fetch(`${quoin.url}/api/auth/login`, init)
  return send().catch(send) // once more: the server may have closed the idle connection
}
