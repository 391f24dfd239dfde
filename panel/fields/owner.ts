import { createContext, type ReactNode } from 'react'

/** The values of fields are those of another language, as long as nothing is published in this one. */
export interface Fallbacks {
  /** The name of that language. */
  language: string
  /** False for a field that has been changed. */
  isFallback: (name: string) => boolean
}

export const FallbackValues = createContext<Fallbacks | undefined>(undefined)

/** Comments at the fields and blocks of the form. */
export interface FieldMarks {
  /** The number of comments on a field (its name) or block (its id). */
  mark: (key: string, label: string) => ReactNode
  /** The action to comment on a block. */
  comment: { text: string; onSelect: (block: string) => void }
}

export const FieldMarksContext = createContext<FieldMarks | undefined>(undefined)

/** The path and language of the content that is edited, for deeply nested components. */
export const FieldOwner = createContext<{ model: string; language: string | undefined }>({
  model: '/site',
  language: undefined,
})
