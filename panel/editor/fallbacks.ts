import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useContentLanguage } from '../app/language.ts'
import type { Fallbacks } from '../fields/form-contexts.ts'
import type { ContentResource } from './content-resource.ts'
import type { Draft } from './draft-state.ts'

/** The number of published versions in a language. Without one, the language shows the texts of the default language. */
export const publishedCountQuery = (resource: ContentResource, language: string) => ({
  queryKey: ['history', resource.key, 'count', language],
  queryFn: () => resource.history.count(language),
  staleTime: 30_000,
})

/**
 * Set if the resource has no texts of its own in this language yet: it shows those of the default language, and follows
 * their changes, until something is published.
 */
export function useFallbacks(resource: ContentResource, draft: Draft): Fallbacks | undefined {
  const { all, current } = useContentLanguage()
  const defaultLanguage = all.find(language => language.default)
  const isSecondary = current !== undefined && !current.default
  const { data: count } = useQuery({ ...publishedCountQuery(resource, current?.code ?? ''), enabled: isSecondary })
  const language = isSecondary && count === 0 ? defaultLanguage?.name : undefined
  return useMemo(
    () =>
      language === undefined
        ? undefined
        : { language, isFallback: (name: string) => !draft.get().changed.includes(name) },
    [language, draft],
  )
}
