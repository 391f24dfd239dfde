/** A JSON document of an extension. */
export interface DocumentsTable {
  extension: string
  collection: string
  key: string
  /** JSON. */
  value: string
  /** The values of up to three properties, as text, in the order of the declaration. */
  index_1: string | null
  index_2: string | null
  index_3: string | null
  /** 1 when it is created, raised with every change. */
  version: number
  created_at: number
  modified_at: number
}

/** When the jobs of extensions run. */
export interface ExtensionSchedulesTable {
  extension: string
  job: string
  next_at: number
  /** When it was last due; null if it never was. */
  last_at: number | null
}
