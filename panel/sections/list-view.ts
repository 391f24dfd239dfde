import type { SectionQuery } from '../editor/content-resource.ts'

/** What a list of pages shows: the chosen filters and the search words. */
export interface ListView {
  status?: NonNullable<SectionQuery['status']>
  template?: string
  state?: NonNullable<SectionQuery['state']>
  words?: string
}

export const states = ['changed', 'mine', 'scheduled', 'incomplete'] as const
const statuses = ['draft', 'unlisted', 'listed'] as const

/** Reads a view from a URL or from the settings of the account. Values that are not known are left out. */
export function readView({ status, template, state, words }: Readonly<Record<string, unknown>>): ListView {
  const knownStatus = statuses.find(one => one === status)
  const knownState = states.find(one => one === state)
  return {
    ...(knownStatus && { status: knownStatus }),
    ...(isText(template) && { template }),
    ...(knownState && { state: knownState }),
    ...(isText(words) && { words }),
  }
}

/** Values that are longer than 100 characters are ignored, like other invalid ones. */
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 100

export const isListFiltered = ({ status, template, state }: Pick<SectionQuery, 'status' | 'template' | 'state'>) =>
  Boolean(status ?? template ?? state)

export const isSameView = (one: ListView, other: ListView) =>
  (['status', 'template', 'state', 'words'] as const).every(name => (one[name] ?? '') === (other[name] ?? ''))
