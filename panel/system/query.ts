import { useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'

async function readSystem() {
  const system = await client.system.get({
    select: [
      'defaultLanguage', 'isLocal', 'isOk', 'loginMethods', 'requirements', 'title', 'translations', 'version',
    ], // prettier-ignore
  })
  // Without a session the server shows less.
  if (!('version' in system)) throw new Error('The session has ended')
  return system
}

export type SystemInfo = Awaited<ReturnType<typeof readSystem>>

/** Information about the server. */
export const useSystem = () => useQuery({ queryKey: keys.system, queryFn: readSystem, staleTime: 60_000 })

/** Without mail, no links can be sent. */
export const hasMail = ({ loginMethods }: SystemInfo): boolean => loginMethods.includes('password-reset')
