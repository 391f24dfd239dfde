import { type AccountSystem, session } from './session.ts'

export type ContentLanguage = AccountSystem['languages'][number]

export const languageByCode = (all: readonly ContentLanguage[], chosen: string | undefined) =>
  all.find(({ code }) => code === chosen) ?? all.find(language => language.default)

/** Like `useContentLanguage`, for use outside of components. */
export function contentLanguage(chosen: string | undefined): ContentLanguage | undefined {
  const state = session.get()
  return state.status === 'in' ? languageByCode(state.system.languages, chosen) : undefined
}
