import { useNavigate, useSearch } from '@tanstack/react-router'
import { useSession } from './session.ts'

export interface ContentLanguage {
  code: string
  name: string
  direction: string
  default: boolean
}

/**
 * The language in which contents are shown and saved: send `code` as `language` with every request about content. It is
 * undefined on a site that has but one.
 */
export function useContentLanguage() {
  const { system } = useSession()
  const { language: chosen } = useSearch({ from: '__root__' })
  const navigate = useNavigate()
  const all = (system.languages ?? []) as ContentLanguage[]
  const current = all.find(({ code }) => code === chosen) ?? all.find(language => language.default)
  return {
    all,
    current,
    code: current?.code,
    choose: (code: string) => navigate({ to: '.', search: before => ({ ...before, language: code }), replace: true }),
  }
}
