/** Sends requests as a signed-in user: `const call = await requestsOf(user)`, then `await call('GET', '/pages/about')`. */
import { type Sender, senderOf } from './files.ts'
import type { SignedInUser } from './signed-in-user.ts'

export async function requestsOf(user: Pick<SignedInUser, 'browser'>): Promise<Sender['call']> {
  const sender = await senderOf(user)
  return (method, path, ...rest) => sender.call(method, path.slice(1), ...rest)
}
