import { session, type System } from './session.ts'

export interface ContentLanguage {
  code: string
  name: string
  direction: string
  default: boolean
}

export const languagesIn = ({ languages }: System) => (languages ?? []) as ContentLanguage[]

export const languageByCode = (all: readonly ContentLanguage[], chosen: string | undefined) =>
  all.find(({ code }) => code === chosen) ?? all.find(language => language.default)

/** Like `useContentLanguage`, for use outside of components. */
export function contentLanguage(chosen: string | undefined): ContentLanguage | undefined {
  const state = session.get()
  return state.status === 'in' ? languageByCode(languagesIn(state.system), chosen) : undefined
}
