import { useNavigate, useSearch } from '@tanstack/react-router'
import { languageByCode } from './content-language.ts'
import { useSession } from './session.ts'

/**
 * The content language: send `code` as `language` with every request about content. It is undefined on a site with a
 * single language.
 */
export function useContentLanguage() {
  const { system } = useSession()
  const { language: chosen } = useSearch({ from: '__root__' })
  const navigate = useNavigate()
  const all = system.languages
  const current = languageByCode(all, chosen)
  return {
    all,
    current,
    code: current?.code,
    choose: (code: string) => navigate({ to: '.', search: before => ({ ...before, language: code }), replace: true }),
  }
}
