import { createContext, useContext } from 'react'

/** The language for formatting dates and times. */
export const LocaleContext = createContext('en')

export const useLocale = (): string => useContext(LocaleContext)
