/** What the library shows. It is part of the address, so that the way back from a file leads to the same list. */
export interface LibraryFilter {
  q?: string
  type?: FileType
  /** The path of a page; `site://` for the files of the site. */
  place?: string
  /** With the files of the pages below. */
  below?: true
  used?: 'true' | 'false'
  described?: 'true' | 'false'
  since?: LibraryPeriod
  sort?: LibraryOrder
}

export const types = ['image', 'video', 'audio', 'document', 'archive', 'code', 'other'] as const
export type FileType = (typeof types)[number]

/** In days. */
export const libraryPeriods = { day: 1, week: 7, month: 30, year: 365 } as const
export type LibraryPeriod = keyof typeof libraryPeriods

export const orders = ['modified desc', 'modified asc', 'name asc', 'name desc', 'size desc', 'size asc'] as const
export type LibraryOrder = (typeof orders)[number]

export const sitePlace = 'site://'

const truth = ['true', 'false'] as const

/** From the search parameters of the URL, which can be anything. */
export function readFilter(search: Readonly<Record<string, unknown>>): LibraryFilter {
  const text = (name: string) => (typeof search[name] === 'string' && search[name] !== '' ? search[name] : undefined)
  const oneOf = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find(value => value === String(search[name]))
  return withoutEmpty({
    q: text('q'),
    type: oneOf('type', types),
    place: text('place'),
    below: search['below'] === true ? true : undefined,
    used: oneOf('used', truth),
    described: oneOf('described', truth),
    since: oneOf('since', Object.keys(libraryPeriods) as LibraryPeriod[]),
    sort: oneOf('sort', orders),
  })
}

/** Without properties that are undefined. */
export function withoutEmpty(filter: {
  [Name in keyof LibraryFilter]: LibraryFilter[Name] | undefined
}): LibraryFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

/** Whether the list leaves out any files. The order does not. */
export const isLibraryFiltered = (filter: LibraryFilter) => Object.keys(filter).some(name => name !== 'sort')
