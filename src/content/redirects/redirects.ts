import type { Tx } from '../../platform/store/store.ts'
import { lockLanguagesShared } from '../languages/queries.ts'
import * as queries from './queries.ts'
import type { LocalizedPath } from './queries.ts'

type Page = { uuid: string; path: string }

/**
 * Runs a change of the addresses of a page and its descendants. Every published page leaves a redirect in each
 * language; an address that a published page has now needs none. The page must be locked with its subtree.
 */
export async function withRedirects<Value>(
  tx: Tx,
  page: Page,
  change: () => Promise<{ path: string; value: Value }>,
): Promise<Value> {
  await leaveRedirects(tx, page, { withDescendants: true })
  const { path, value } = await change()
  await takeAddresses(tx, { uuid: page.uuid, path }, { withDescendants: true })
  return value
}

/** Adds redirects from the present addresses of published pages to these pages themselves. */
export async function leaveRedirects(
  tx: Tx,
  page: Page,
  { withDescendants }: { withDescendants: boolean },
): Promise<void> {
  await queries.insertAddresses(tx, { uuid: page.uuid, addresses: await addressesOf(tx, page), withDescendants })
}

/** A published page takes precedence over redirects from its address: these are deleted. */
export async function takeAddresses(
  tx: Tx,
  page: Page,
  { withDescendants }: { withDescendants: boolean },
): Promise<void> {
  await queries.deleteAtAddresses(tx, { uuid: page.uuid, addresses: await addressesOf(tx, page), withDescendants })
}

/** The address of a page in every language. */
async function addressesOf(tx: Tx, { path }: Page): Promise<LocalizedPath[]> {
  const languages = await lockLanguagesShared(tx)
  if (languages.length === 0) return [{ language: '', path }]
  const slugs = path.split('/')
  const paths = slugs.map((_, index) => slugs.slice(0, index + 1).join('/'))
  const rows = await queries.selectSlugsAt(tx, paths)
  const translated = new Map(rows.map(row => [`${row.language} ${row.path}`, row.slug]))
  return languages.map(({ key }) => ({
    language: key,
    path: slugs.map((slug, index) => translated.get(`${key} ${paths[index]}`) ?? slug).join('/'),
  }))
}
