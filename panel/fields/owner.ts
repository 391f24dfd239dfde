import { createContext } from 'react'

/** Whose fields are edited, for what is deep inside of them: where the owner is found, and in which language. */
export const FieldOwner = createContext<{ model: string; language: string | undefined }>({
  model: '/site',
  language: undefined,
})
