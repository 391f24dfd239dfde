import type { Tx } from '../../../platform/store/store.ts'
import type { LanguageRow } from '../queries.ts'
import * as queries from './queries.ts'

/** The form in which former URLs are stored: `/de`, `/` for none, `https://example.de`. */
export function formerUrlOf(url: string): string {
  if (url === '' || url.startsWith('/')) return lower(url) || '/'
  const { origin, pathname } = new URL(url)
  return origin + lower(decoded(pathname).replace(/\/+$/, ''))
}

/** Whether a redirect leads from all addresses below this path: no path of another one has this form. */
export const isFormerUrl = (path: string) => path.startsWith('/') || path.includes('://')

/** How each segment of a former URL is compared. */
export const lower = (text: string) => text.normalize('NFC').toLowerCase()

function decoded(pathname: string): string {
  try {
    return decodeURI(pathname)
  } catch {
    return pathname
  }
}

/** Addresses below the previous URL of a language lead to the language from now on, also if its URL changes again. */
export async function createFormerUrl(tx: Tx, { key, url }: Pick<LanguageRow, 'key' | 'url'>): Promise<void> {
  await queries.insertFormerUrl(tx, { language: key, path: formerUrlOf(url) })
}

/** The URL belongs to a language again. */
export async function deleteFormerUrl(tx: Tx, url: string): Promise<void> {
  await queries.deleteFormerUrl(tx, formerUrlOf(url))
}
