import { queryOptions, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useContentLanguage } from '../app/language.ts'
import { keys } from '../app/query.ts'
import { can, useSession } from '../app/session.ts'
import { maxLanguages } from '../pages/addresses.ts'
import { limit, select, type ListedPage } from './queries.ts'

/** A page with unpublished changes of the user in a language; undefined on a site with a single one. */
export type OwnDraft = ListedPage & { language: string | undefined }

/** Unpublished changes of the user in the content of the site. */
export interface SiteDraft {
  language: string | undefined
  modified: string
}

/** The key is that of lists of pages, which are reloaded after changes. */
const draftsQuery = (language: string | undefined) =>
  queryOptions({
    queryKey: keys.children('', 'own drafts', language),
    queryFn: async (): Promise<OwnDraft[]> => {
      const { data } = await client.site.drafts({ user: 'account', limit, language, select })
      return data.map(page => ({ ...page, language }))
    },
  })

/** Pages with unpublished changes of the user in every language, the last changed first. */
export function useOwnDrafts() {
  const { all, code } = useContentLanguage()
  const others = all.map(language => language.code).filter(other => other !== code)
  return useQueries({ queries: [code, ...others].slice(0, maxLanguages).map(draftsQuery), combine })
}

const combine = (results: UseQueryResult<OwnDraft[]>[]) => ({
  data: results.every(({ data }) => data)
    ? results.flatMap(({ data }) => data ?? []).toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))
    : undefined,
  error: results.find(({ error }) => error)?.error ?? null,
})

const timeOf = ({ state }: ListedPage) => state.changes?.modified ?? ''

/** The drafts of the user in the content of the site, in every language. */
export function useOwnSiteDrafts() {
  const { code } = useContentLanguage()
  const { user } = useSession()
  return useQuery({
    queryKey: keys.children('', 'own drafts of the site', code),
    queryFn: async (): Promise<SiteDraft[]> => {
      const { others, ...draft } = await client.site.changes.get({ language: code })
      return [{ ...draft, language: code }, ...others].flatMap(({ language, modified, user: author }) =>
        modified !== null && author?.id === user.id ? [{ language, modified }] : [],
      )
    },
    enabled: can(user, 'site.update'),
  })
}
