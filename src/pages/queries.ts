import { type Compilable, type ExpressionBuilder, sql } from 'kysely'
import type { Status } from '../blueprints/blueprints.ts'
import type { Texts } from '../content/stored.ts'
import type { ContentLanguage } from '../http/look.ts'
import type { Database, PagesTable } from '../store/schema.ts'
import { prepared, type Store, type Tx } from '../store/store.ts'

/** A page with its texts in the language it was read for. */
export interface PageRow extends PagesTable, Texts {}

const columns = [
  'pages.uuid',
  'pages.parent',
  'pages.path',
  'pages.slug',
  'pages.status',
  'pages.num',
  'pages.template',
  'pages.revision',
  'pages.created_at',
  'pages.modified_at',
] as const

type Db = Store['db'] | Tx

/** Pages with their texts in the default language. */
const inDefault = (db: Db, key: string) =>
  db
    .selectFrom('pages')
    .leftJoin('contents as own', join =>
      join.on('own.owner', '=', sql<string>`'page://' || pages.uuid`).on('own.language', '=', key),
    )
    .select(columns)
    .select('own.data as own')

/** Pages with their texts in a language and in the default one. */
const inBoth = (db: Db, key: string, fallback: string) =>
  inDefault(db, key)
    .leftJoin('contents as base', join =>
      join.on('base.owner', '=', sql<string>`'page://' || pages.uuid`).on('base.language', '=', fallback),
    )
    .select('base.data as base')

/** Any pages, to be narrowed down. `db` may be a transaction. */
export function selectPages(db: Db, { key, fallback }: ContentLanguage) {
  // The type of the larger one: `base` is missing where the language is the default one.
  return key === fallback ? (inDefault(db, key) as ReturnType<typeof inBoth>) : inBoth(db, key, fallback)
}

/** Runs a read on what is committed. */
export async function read<Row>(store: Store, query: Compilable<Row>): Promise<Row[]> {
  return (await store.read(query.compile())) as Row[]
}

const byPath = prepared((db, key: string, path: string) => inDefault(db, key).where('pages.path', '=', path))
const byPathInBoth = prepared((db, key: string, fallback: string, path: string) =>
  inBoth(db, key, fallback).where('pages.path', '=', path),
)
const byUuid = prepared((db, key: string, uuid: string) => inDefault(db, key).where('pages.uuid', '=', uuid))
const byUuidInBoth = prepared((db, key: string, fallback: string, uuid: string) =>
  inBoth(db, key, fallback).where('pages.uuid', '=', uuid),
)

/** By its id: the path of its slugs. */
export async function selectPage(
  store: Store,
  { key, fallback }: ContentLanguage,
  path: string,
): Promise<PageRow | undefined> {
  const rows = key === fallback ? await byPath(store, key, path) : await byPathInBoth(store, key, fallback, path)
  return rows[0]
}

export async function selectPageByUuid(
  store: Store,
  { key, fallback }: ContentLanguage,
  uuid: string,
): Promise<PageRow | undefined> {
  const rows = key === fallback ? await byUuid(store, key, uuid) : await byUuidInBoth(store, key, fallback, uuid)
  return rows[0]
}

// ---- lists

/** Which children: of these states, and of templates that the caller may see. */
export interface Wanted {
  statuses: readonly Status[]
  /** Undefined if it may be any but `except`. */
  templates: readonly string[] | undefined
  except: readonly string[]
}

export const wantedOnly =
  ({ statuses, templates, except }: Wanted) =>
  (eb: ExpressionBuilder<Database, 'pages'>) =>
    eb.and([
      eb('pages.status', 'in', statuses),
      ...(templates ? [templates.length > 0 ? eb('pages.template', 'in', templates) : eb.lit(false)] : []),
      ...(except.length > 0 ? [eb('pages.template', 'not in', except)] : []),
    ])
