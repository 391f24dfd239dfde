import { useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'

const properties = [
  'defaultLanguage', 'isLocal', 'isOk', 'loginMethods', 'requirements', 'title', 'translations', 'version',
] // prettier-ignore

export interface SystemInfo {
  defaultLanguage: string
  isLocal: boolean
  isOk: boolean
  loginMethods: string[]
  requirements: Record<string, boolean>
  title: string
  translations: { id: string; name: string; direction: string }[]
  version: string | null
}

/** Information about the server. */
export function useSystem() {
  return useQuery({
    queryKey: keys.system,
    queryFn: async () => (await client.system.get({ select: properties })) as SystemInfo,
    staleTime: 60_000,
  })
}

/** Without mail, no links can be sent. */
export const hasMail = ({ loginMethods }: SystemInfo): boolean => loginMethods.includes('password-reset')
