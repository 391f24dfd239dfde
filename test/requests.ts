/** Requests of a signed-in user to any path of the API: `await ask('GET', '/pages/about')`. */
import { type Sender, senderOf } from './files.ts'
import type { Person } from './person.ts'

export async function requestsOf(somebody: Pick<Person, 'browser'>): Promise<Sender['call']> {
  const sender = await senderOf(somebody)
  return (method, path, ...rest) => sender.call(method, path.slice(1), ...rest)
}
