import { useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys, queryClient } from '../app/query.ts'
import { loadSession } from '../app/session.ts'

export interface Language {
  code: string
  name: string
  default: boolean
  direction: 'ltr' | 'rtl'
  /** By the number of its category. */
  locale: Record<string, string>
  url: string
  slugs: Record<string, string>
  translations: Record<string, string>
  rules: Record<string, string>
}

export function useLanguages() {
  return useQuery({
    queryKey: keys.languages,
    queryFn: async () => (await client.languages.list({ view: 'any', limit: 1000 })).data as Language[],
  })
}

/** Everything is read again that is said in a language: the switch at the top, and all contents. */
export async function languagesChanged(): Promise<void> {
  await loadSession()
  await queryClient.invalidateQueries()
}

/** The categories in the order of their numbers. */
export const categories = ['LC_CTYPE', 'LC_NUMERIC', 'LC_TIME', 'LC_COLLATE', 'LC_MONETARY', 'LC_MESSAGES', 'LC_ALL']

/** `{ 6: 'de_DE' }` → `de_DE`; several, one after the other. */
export const localeText = ({ locale }: Pick<Language, 'locale'>): string =>
  [...new Set(Object.values(locale))].join(', ')
