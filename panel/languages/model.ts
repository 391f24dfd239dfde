import { useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys, queryClient } from '../app/query.ts'
import { loadSession } from '../app/session.ts'

export interface Language {
  code: string
  name: string
  default: boolean
  direction: 'ltr' | 'rtl'
  /** By the number of the locale category. */
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

/** Reloads everything that depends on languages: the language switch and all content. */
export async function languagesChanged(): Promise<void> {
  await loadSession()
  await queryClient.invalidateQueries()
}

/** Locale categories; the index is their number. */
export const categories = ['LC_CTYPE', 'LC_NUMERIC', 'LC_TIME', 'LC_COLLATE', 'LC_MONETARY', 'LC_MESSAGES', 'LC_ALL']

/** `{ 6: 'de_DE' }` → `de_DE`; several locales are joined. */
export const localeText = ({ locale }: Pick<Language, 'locale'>): string =>
  [...new Set(Object.values(locale))].join(', ')
