import { createContext, type ReactNode } from 'react'

/** Fields show the values of another language as long as nothing is published in the edited one. */
export interface Fallbacks {
  /** The name of that language. */
  language: string
  /** False for a field that has been changed. */
  isFallback: (name: string) => boolean
}

export const FallbacksContext = createContext<Fallbacks | undefined>(undefined)

/** Comments at the fields and blocks of the form. */
export interface FieldMarks {
  /** Shows the number of comments on a field or block. The key is the name of the field or the id of the block. */
  mark: (key: string, label: string) => ReactNode
  /** The action to comment on a block. */
  comment: { text: string; onSelect: (block: string) => void }
}

export const FieldMarksContext = createContext<FieldMarks | undefined>(undefined)

/** The content that is edited, for deeply nested components. */
interface EditedContent {
  /** Path of its model in the API: `/pages/notes+first`, `/pages/notes+first/files/a.png`, `/site`, `/users/x`. */
  model: string
  language: string | undefined
}

export const EditedContentContext = createContext<EditedContent>({ model: '/site', language: undefined })
