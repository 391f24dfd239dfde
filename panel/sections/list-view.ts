import type { SectionQuery } from '../editor/content-resource.ts'

/** What a list of pages shows: the chosen filters and the search term. */
export interface ListView {
  status?: NonNullable<SectionQuery['status']>
  template?: string
  state?: NonNullable<SectionQuery['state']>
  searchTerm?: string
}

export const states = ['changed', 'mine', 'scheduled', 'incomplete'] as const
const statuses = ['draft', 'unlisted', 'listed'] as const

/**
 * Reads a view from a URL or from the settings of the account, where the search term is called `words`. Values that are
 * not known are left out.
 */
export function readView({ status, template, state, words }: Readonly<Record<string, unknown>>): ListView {
  const knownStatus = statuses.find(known => known === status)
  const knownState = states.find(known => known === state)
  return {
    ...(knownStatus && { status: knownStatus }),
    ...(isText(template) && { template }),
    ...(knownState && { state: knownState }),
    ...(isText(words) && { searchTerm: words }),
  }
}

/** Values that are longer than 100 characters are ignored, like other invalid ones. */
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 100

export const isListFiltered = ({ status, template, state }: Pick<SectionQuery, 'status' | 'template' | 'state'>) =>
  Boolean(status ?? template ?? state)

export const isSameView = (one: ListView, other: ListView) =>
  (['status', 'template', 'state', 'searchTerm'] as const).every(name => (one[name] ?? '') === (other[name] ?? ''))

/** A view as URLs and the settings of the account have it. */
export const writeView = ({ searchTerm, ...filter }: ListView) => ({
  ...filter,
  ...(searchTerm !== undefined && { words: searchTerm }),
})
