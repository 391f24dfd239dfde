import { createContext, useContext } from 'react'

/** The language in which components write dates and times. */
export const LocaleContext = createContext('en')

export const useLocale = (): string => useContext(LocaleContext)
