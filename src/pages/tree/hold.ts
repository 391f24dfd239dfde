import type { App } from '../../app.ts'
import { fail } from '../../errors.ts'
import type { ContentLanguage } from '../../http/look.ts'
import type { Tx } from '../../store/store.ts'
import { type PageRow, selectInDefaultNow, selectPageNow } from '../queries.ts'
import { changeRow, type How, lockPage, lockPaths, selectPath } from './queries.ts'

/** As it is now, held until the end of the transaction while it or something that belongs to it changes. */
export async function holdPage(
  { store }: App,
  tx: Tx,
  uuid: string,
  /** Undefined for the default one. */
  language: ContentLanguage | undefined,
): Promise<PageRow> {
  await lockPage(store, tx, uuid)
  const page = await readNow(tx, uuid, language)
  if (!page) throw gone(uuid)
  return page
}

/** Counts a change of a page that is held. Answers with what it is at now. */
export async function touchPage(tx: Tx, uuid: string): Promise<number> {
  return changeRow(tx, uuid)
}

export interface Holding {
  /** The numbers of its siblings will change. */
  numbering?: boolean
  /** It is moved or deleted with all that is below it. */
  alone?: boolean
  /** Where it goes, by uuid; `''` is the top. */
  into?: string
}

const attempts = 5

/** A page in its place: neither it nor anything above it goes elsewhere before the end of the transaction. */
export async function holdPlace(
  { store }: App,
  tx: Tx,
  uuid: string,
  /** Undefined for the default one. */
  language: ContentLanguage | undefined,
  { numbering = false, alone = false, into }: Holding,
): Promise<{ page: PageRow; into: PageRow | undefined }> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const path = await selectPath(tx, uuid)
    if (path === undefined) throw gone(uuid)
    const target = into === undefined || into === '' ? '' : await selectPath(tx, into)
    if (target === undefined) throw gone(into!)
    const parents = into === undefined ? [parentOf(path)] : [parentOf(path), target]
    await lockPaths(store, tx, [
      ...[path, ...parents].flatMap(ancestorsOf).map(above => [above, 'kept'] as const),
      ...parents.map(parent => [parent, numbering ? 'numbering' : 'kept'] as const),
      [path, alone ? 'alone' : 'numbering'] as const,
    ])
    const page = await readNow(tx, uuid, language)
    const found = into === undefined || into === '' ? undefined : await readNow(tx, into, language)
    // Whoever was moved before all of it was held stands elsewhere now.
    if (page?.path === path && (found?.path ?? '') === target) return { page, into: found }
    if (!page) throw gone(uuid)
  }
  throw fail('busy')
}

/** A page below which something is made, by uuid. `''` is the top, which always is. */
export async function holdParent(
  { store }: App,
  tx: Tx,
  uuid: string,
  language: ContentLanguage,
): Promise<PageRow | undefined> {
  if (uuid === '') return undefined
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const path = await selectPath(tx, uuid)
    if (path === undefined) throw gone(uuid)
    await lockPaths(
      store,
      tx,
      [path, ...ancestorsOf(path)].map((above): [string, How] => [above, 'kept']),
    )
    const page = await selectPageNow(tx, language, uuid)
    if (!page) throw gone(uuid)
    if (page.path === path) return page
  }
  throw fail('busy')
}

const readNow = (tx: Tx, uuid: string, language: ContentLanguage | undefined) =>
  language ? selectPageNow(tx, language, uuid) : selectInDefaultNow(tx, uuid)

const gone = (uuid: string) => fail('page.notFound', { id: `page://${uuid}` })

/** `a/b/c` → `a/b`, `a` → `''` */
export const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))

/** `a/b/c` → `a`, `a/b` */
export function ancestorsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
