/** Sends requests as a signed-in user: `const call = await requestsOf(user)`, then `await call('GET', '/pages/about')`. */
import { type Uploader, createUploader } from './files.ts'
import type { SignedInUser } from './signed-in-user.ts'

export async function requestsOf(user: Pick<SignedInUser, 'browser'>): Promise<Uploader['call']> {
  const sender = await createUploader(user)
  return (method, path, ...rest) => sender.call(method, path.slice(1), ...rest)
}
