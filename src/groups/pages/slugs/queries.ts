import { sql } from 'kysely'
import { batched } from '../../../platform/store/batch.ts'
import { prepared, type Store, type Tx } from '../../../platform/store/store.ts'
import { selectPageRows } from '../queries.ts'

interface Slug {
  language: string
  path: string
  slug: string
}

const rows = batched(
  (store, keys: string[]) => {
    const pairs = keys.map(key => key.split(' ') as [language: string, path: string])
    return selectSlugs(
      store,
      [...new Set(pairs.map(([language]) => language))],
      [...new Set(pairs.map(([, path]) => path))],
    )
  },
  ({ language, path }) => `${language} ${path}`,
)

/** The translated slug of the page with this id in a language (its key). Undefined if it has none. */
export async function selectSlug(store: Store, language: string, path: string): Promise<string | undefined> {
  return (await rows(store, `${language} ${path}`))?.slug
}

function selectSlugs(store: Store, languages: string[], paths: string[]): Promise<Slug[]> {
  const query = store.db
    .selectFrom('pages')
    .innerJoin('page_slugs', 'page_slugs.page', 'pages.uuid')
    .select(['page_slugs.language', 'pages.path', 'page_slugs.slug'])
    .where('pages.path', 'in', paths)
    .where('page_slugs.language', 'in', languages)
  return selectPageRows(store, query)
}

export interface PathStep {
  uuid: string
  path: string
}

const byTranslatedSlug = prepared((db, language: string, parent: string, slug: string, path: string) =>
  db
    .selectFrom('page_slugs')
    .innerJoin('pages', 'pages.uuid', 'page_slugs.page')
    .select(['pages.uuid', 'pages.path', sql<number>`0`.as('rank')])
    .where('page_slugs.language', '=', language)
    .where('page_slugs.slug', '=', slug)
    .where('pages.parent', '=', parent)
    .unionAll(
      db
        .selectFrom('pages')
        .select(['pages.uuid', 'pages.path', sql<number>`1`.as('rank')])
        .where('pages.path', '=', path),
    ),
)

/** The child with this translated slug, or else with this slug in its id. */
export async function selectChild(
  store: Store,
  language: string,
  parent: PathStep,
  slug: string,
): Promise<PathStep | undefined> {
  const path = parent.path === '' ? slug : `${parent.path}/${slug}`
  const found = await byTranslatedSlug(store, language, parent.uuid, slug, path)
  return found.toSorted((one, other) => one.rank - other.rank)[0]
}

export async function upsertSlug(tx: Tx, page: string, language: string, slug: string): Promise<void> {
  await tx
    .insertInto('page_slugs')
    .values({ page, language, slug })
    .onConflict(conflict => conflict.columns(['page', 'language']).doUpdateSet({ slug }))
    .execute()
}

export async function deleteSlug(tx: Tx, page: string, language: string): Promise<void> {
  await tx.deleteFrom('page_slugs').where('page', '=', page).where('language', '=', language).execute()
}

export interface NewSlug {
  /** The uuid of the parent, `''` for the top level. */
  parent: string
  slug: string
  /** The uuid of the page that is to get the slug, which is ignored in the check. */
  except?: string | undefined
}

/**
 * Whether a child has this slug in its id. Compares the path, which is indexed, because a parent may have many
 * children.
 */
export async function hasChildCalled(tx: Tx, { parent, slug, except = '' }: NewSlug): Promise<boolean> {
  const path =
    parent === ''
      ? sql<string>`${slug}`
      : sql<string>`(select above.path from pages as above where above.uuid = ${parent}) || '/' || ${slug}`
  const found = await tx
    .selectFrom('pages')
    .select('uuid')
    .where('path', '=', path)
    .where('uuid', '<>', except)
    .executeTakeFirst()
  return found !== undefined
}

/** Whether a child has this translated slug in a language, or in any language. */
export async function hasChildTranslatedTo(
  tx: Tx,
  { parent, slug, except = '' }: NewSlug,
  language: string | undefined,
): Promise<boolean> {
  let query = tx
    .selectFrom('page_slugs')
    .innerJoin('pages', 'pages.uuid', 'page_slugs.page')
    .select('pages.uuid')
    .where('page_slugs.slug', '=', slug)
    .where('pages.parent', '=', parent)
    .where('pages.uuid', '<>', except)
  query =
    language === undefined
      ? query.where('page_slugs.language', 'in', tx.selectFrom('languages').select('key'))
      : query.where('page_slugs.language', '=', language)
  return (await query.executeTakeFirst()) !== undefined
}
