import { useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys, queryClient } from '../app/query.ts'
import { loadSession } from '../app/session.ts'

const readLanguages = async () => (await client.languages.list({ view: 'any', limit: 1000 })).data

/** `locale` is by the number of the locale category. */
export type LanguageModel = Awaited<ReturnType<typeof readLanguages>>[number]

export const useLanguages = () => useQuery({ queryKey: keys.languages, queryFn: readLanguages })

/** Reloads everything that depends on languages: the language switch and all content. */
export async function languagesChanged(): Promise<void> {
  await loadSession()
  await queryClient.invalidateQueries()
}

/** Locale categories; the index is their number. */
export const categories = ['LC_CTYPE', 'LC_NUMERIC', 'LC_TIME', 'LC_COLLATE', 'LC_MONETARY', 'LC_MESSAGES', 'LC_ALL']

/** `{ 6: 'de_DE' }` → `de_DE`; several locales are joined. */
export const localeText = ({ locale }: Pick<LanguageModel, 'locale'>): string =>
  [...new Set(Object.values(locale))].join(', ')
