import { useNavigate, useSearch } from '@tanstack/react-router'
import { session, type System, useSession } from './session.ts'

export interface ContentLanguage {
  code: string
  name: string
  direction: string
  default: boolean
}

const languagesIn = ({ languages }: System) => (languages ?? []) as ContentLanguage[]
const chosenOf = (all: readonly ContentLanguage[], chosen: string | undefined) =>
  all.find(({ code }) => code === chosen) ?? all.find(language => language.default)

/** The same where there is no component. */
export function contentLanguage(chosen: string | undefined): ContentLanguage | undefined {
  const state = session.get()
  return state.status === 'in' ? chosenOf(languagesIn(state.system), chosen) : undefined
}

/**
 * The language in which contents are shown and saved: send `code` as `language` with every request about content. It is
 * undefined on a site that has but one.
 */
export function useContentLanguage() {
  const { system } = useSession()
  const { language: chosen } = useSearch({ from: '__root__' })
  const navigate = useNavigate()
  const all = languagesIn(system)
  const current = chosenOf(all, chosen)
  return {
    all,
    current,
    code: current?.code,
    choose: (code: string) => navigate({ to: '.', search: before => ({ ...before, language: code }), replace: true }),
  }
}
