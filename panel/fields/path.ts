import { createContext } from 'react'

/** By what the API knows a field inside of others: `rows+author`, `text+card+target`. */
export const FieldPath = createContext('')

export const pathTo = (path: string, name: string): string => (path === '' ? name : `${path}+${name}`)
