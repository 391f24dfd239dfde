import type { Store, Tx } from '../../../platform/store/store.ts'

const tables = ['contents', 'changes', 'reviews', 'history'] as const
const maxAtOnce = 1000

/** Batches of owners with a row in a language, so that no statement runs long. */
async function* ownersIn(tx: Tx, table: (typeof tables)[number], language: string): AsyncGenerator<string[]> {
  for (let last = ''; ;) {
    const rows = await tx
      .selectFrom(table)
      .select('owner')
      .distinct()
      .where('language', '=', language)
      .where('owner', '>', last)
      .orderBy('owner')
      .limit(maxAtOnce)
      .execute()
    if (rows.length === 0) return
    last = rows.at(-1)!.owner
    yield rows.map(({ owner }) => owner)
  }
}

/** Deletes contents, drafts and history of a language. */
export async function deleteTextsIn(tx: Tx, language: string): Promise<void> {
  for (const table of tables)
    for await (const owners of ownersIn(tx, table, language))
      await tx.deleteFrom(table).where('language', '=', language).where('owner', 'in', owners).execute()
}

/** Moves everything to another language, which must be empty. */
export async function moveTexts(tx: Tx, from: string, to: string): Promise<void> {
  for (const table of tables)
    for await (const owners of ownersIn(tx, table, from))
      await tx
        .updateTable(table)
        .set({ language: to })
        .where('language', '=', from)
        .where('owner', 'in', owners)
        .execute()
}

export async function deleteSlugsIn(tx: Tx, language: string): Promise<void> {
  await tx.deleteFrom('page_slugs').where('language', '=', language).execute()
}

export async function deleteRedirectsIn(tx: Tx, language: string): Promise<void> {
  await tx.deleteFrom('redirects').where('language', '=', language).execute()
}

export async function moveRedirects(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('redirects').set({ language: to }).where('language', '=', from).execute()
}

// ---- for given owners

/** Moves the rows from one language to another, replacing those already there. */
export async function moveTextsOf(tx: Tx, owners: readonly string[], from: string, to: string): Promise<void> {
  for (const table of tables) {
    await tx.deleteFrom(table).where('owner', 'in', owners).where('language', '=', to).execute()
    await tx
      .updateTable(table)
      .set({ language: to })
      .where('owner', 'in', owners)
      .where('language', '=', from)
      .execute()
  }
}

/**
 * Deletes rows in languages that do not exist. A site without languages uses the key `''`, without translated slugs.
 */
export async function deleteTextsInOtherLanguages(
  tx: Tx,
  owners: readonly string[],
  languages: readonly string[],
): Promise<void> {
  // History events have the language `*`.
  const keys = [...(languages.length === 0 ? [''] : languages), '*']
  for (const table of tables)
    await tx.deleteFrom(table).where('owner', 'in', owners).where('language', 'not in', keys).execute()
  const pages = owners.flatMap(owner => (owner.startsWith('page://') ? owner.slice('page://'.length) : []))
  if (pages.length > 0)
    await tx
      .deleteFrom('page_slugs')
      .where('page', 'in', pages)
      .$if(languages.length > 0, query => query.where('language', 'not in', keys))
      .execute()
}

// ---- from one default language to another

export interface ContentPair {
  owner: string
  /** Content in the previous default language. */
  base: string
  /** Content in the new default language. */
  own: string | null
}

const pairsQuery = (tx: Tx, from: string, to: string) =>
  tx
    .selectFrom('contents as base')
    .leftJoin('contents as own', join => join.onRef('own.owner', '=', 'base.owner').on('own.language', '=', to))
    .select(['base.owner', 'base.data as base', 'own.data as own'])
    .where('base.language', '=', from)

export async function selectPairsOf(
  tx: Tx,
  owners: readonly string[],
  from: string,
  to: string,
): Promise<ContentPair[]> {
  return pairsQuery(tx, from, to).where('base.owner', 'in', owners).execute()
}

export async function* selectPairs(tx: Tx, from: string, to: string): AsyncGenerator<ContentPair[]> {
  for (let last = ''; ;) {
    const rows = await pairsQuery(tx, from, to)
      .where('base.owner', '>', last)
      .orderBy('base.owner')
      .limit(maxAtOnce)
      .execute()
    if (rows.length === 0) return
    last = rows.at(-1)!.owner
    yield rows
  }
}

export async function insertContentCopies(tx: Tx, owners: string[], from: string, to: string): Promise<void> {
  if (owners.length === 0) return
  await tx
    .insertInto('contents')
    .columns(['owner', 'language', 'data', 'modified_at'])
    .expression(eb =>
      eb
        .selectFrom('contents')
        .select(['owner', eb.val(to).as('language'), 'data', 'modified_at'])
        .where('language', '=', from)
        .where('owner', 'in', owners),
    )
    .execute()
}

export async function updateContentRow(tx: Tx, owner: string, language: string, data: string): Promise<void> {
  await tx.updateTable('contents').set({ data }).where('owner', '=', owner).where('language', '=', language).execute()
}

/** Owner → name of its blueprint: the template of a page or file, the role of an account. */
export async function selectBlueprints(tx: Tx | Store['db'], owners: readonly string[]): Promise<Map<string, string>> {
  const ids = owners.map(owner => owner.slice(owner.indexOf('://') + 3))
  if (ids.length === 0) return new Map()
  const [pages, files, users] = [
    await tx.selectFrom('pages').select(['uuid', 'template']).where('uuid', 'in', ids).execute(),
    await tx.selectFrom('files').select(['uuid', 'template']).where('uuid', 'in', ids).execute(),
    await tx.selectFrom('users').select(['id', 'role']).where('id', 'in', ids).execute(),
  ]
  return new Map([
    ...pages.map(({ uuid, template }) => [`page://${uuid}`, template] as const),
    ...files.map(({ uuid, template }) => [`file://${uuid}`, template ?? 'default'] as const),
    ...users.map(({ id, role }) => [`user://${id}`, role] as const),
  ])
}
