/** An inconsistency in the stored data. */
export interface Fault {
  kind:
    | 'store'
    | 'tree'
    | 'counts'
    | 'owners'
    | 'languages'
    | 'fields'
    | 'search'
    | 'links'
    | 'redirects'
    | 'media'
    | 'trash'
    | 'documents'
  /** What the fault is about: a uuid, a hash, the name of a table. */
  at: string
  message: string
}

export interface CheckOptions {
  /** Reads all blobs, and compares every word in the search index. */
  thorough: boolean
  progress: (what: string, count: number) => void
}
