import type { Store, Tx } from '../store/store.ts'

/** One thing in one language, as it can be found. */
export interface Findable {
  /** `page://…`, `file://…` */
  owner: string
  /** The key of the language. */
  language: string
  title: string
  id: string
  /** Everything else that is stored of it. */
  texts: readonly string[]
}

/** In the transaction of what is stored: neither is there without the other. Takes the place of what was found before. */
export async function makeFindable(_store: Store, _tx: Tx, _things: readonly Findable[]): Promise<void> {}

/** In every language. */
export async function forgetFindable(_store: Store, _tx: Tx, _owners: readonly string[]): Promise<void> {}
