import { createContext } from 'react'

/** The path of a nested field in the API: `rows+author`, `text+card+target`. */
export const FieldPath = createContext('')

export const pathTo = (path: string, name: string): string => (path === '' ? name : `${path}+${name}`)
