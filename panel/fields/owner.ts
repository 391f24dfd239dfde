import { createContext } from 'react'

/** The path and language of the content that is edited, for deeply nested components. */
export const FieldOwner = createContext<{ model: string; language: string | undefined }>({
  model: '/site',
  language: undefined,
})
