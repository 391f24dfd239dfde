import type { App } from '../../../app.ts'
import { isFormerUrl } from '../../../content/languages/former-urls/former-urls.ts'
import { contentLanguages } from '../../../content/languages/languages.ts'
import { findPage } from '../../../groups/pages/pages.ts'
import { selectSlug } from '../../../groups/pages/slugs/queries.ts'
import { isRedirectPath, mustNotLoop, readTarget } from '../../../groups/site/redirects/rules.ts'
import { addressBelow, readAddress } from '../../../groups/site/resolve/address.ts'
import type { ContentLanguage } from '../../../http/context.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { CheckOptions, Fault } from '../fault.ts'
import * as queries from './queries.ts'

/** Redirects that cannot be used, lead nowhere or lead back, and successors of deleted pages that do not exist. */
export async function* redirectFaults(app: App, { progress }: CheckOptions): AsyncGenerator<Fault> {
  const { store } = app
  let count = 0
  for await (const rows of queries.selectRedirectBatches(store)) {
    progress('redirects', (count += rows.length))
    const suspects = await wrongRedirects(app, rows)
    if (suspects.size === 0) continue
    // Read again: a page may have been moved, deleted or published since.
    const current = await queries.selectRedirectsById(store, [...suspects.keys()])
    for (const [id, message] of await wrongRedirects(app, current))
      yield { kind: 'redirects', at: String(id), message: `the redirect from ${message}` }
  }
  const wrongSuccessors = await queries.selectGoneSuccessors(store)
  const trashed = await queries.selectTrashedPages(
    store,
    wrongSuccessors.map(({ successor }) => successor),
  )
  for (const { page, successor, is_replaced } of wrongSuccessors)
    if (is_replaced || !trashed.has(successor))
      yield {
        kind: 'redirects',
        at: `page://${page}`,
        message: `the successor of page://${page} is page://${successor}, which ${is_replaced ? 'has another successor' : 'does not exist'}`,
      }
}

type Row = queries.CheckedRedirect

async function wrongRedirects(app: App, rows: readonly Row[]): Promise<Map<number, string>> {
  const languages = await contentLanguages(app)
  const missingPages = rows.flatMap(({ page, leads_to }) => (leads_to === null && page !== null ? page : []))
  const trashed = await queries.selectTrashedPages(app.store, missingPages)
  const checked = await Promise.all(
    rows.map(async row => [row, await problemOf(app, row, { languages, trashed })] as const),
  )
  return new Map(
    checked.flatMap(([row, problem]) =>
      problem === undefined ? [] : [[row.id, `${row.path} (${row.language || 'default'}) ${problem}`]],
    ),
  )
}

async function problemOf(
  app: App,
  row: Row,
  { languages, trashed }: { languages: readonly ContentLanguage[]; trashed: ReadonlySet<string> },
): Promise<string | undefined> {
  const { path, page, target, is_automatic } = row
  const language = languages.find(({ key }) => key === row.language)
  if (!language && row.language !== '*') return 'has a language that does not exist'
  if (language && isFormerUrl(path))
    return page === null && target === null
      ? undefined
      : 'has a page or address of its own, although it stands for a former URL of a language'
  if (!isRedirectPath(path)) return 'has an invalid path'
  if ((page === null) === (target === null) || (is_automatic && page === null))
    return 'must lead to either a page or an address'
  if (page !== null && row.leads_to === null && !trashed.has(page))
    return `leads to page://${page}, which does not exist`
  if (is_automatic && language && (await isTaken(app, path, language)))
    return 'is not needed: a published page has this address'
  if (target !== null) return problemOfTarget(app, row, languages)
  return undefined
}

/** Whether a published page has this address. Pages are also found by addresses that are not their own. */
async function isTaken(app: App, path: string, language: ContentLanguage): Promise<boolean> {
  const page = await findPage(app, path, language).catch(() => undefined)
  if (!page || page.status === 'draft') return false
  const slugs = page.path.split('/')
  const address = await Promise.all(
    slugs.map(
      async (slug, index) => (await selectSlug(app.store, language.key, slugs.slice(0, index + 1).join('/'))) ?? slug,
    ),
  )
  return address.join('/') === path
}

async function problemOfTarget(
  app: App,
  { language, path, target }: Row,
  languages: readonly ContentLanguage[],
): Promise<string | undefined> {
  if (!readTarget(target!)) return 'leads to no valid address'
  const ownLanguage = languages.find(({ key }) => key === language)
  const from = ownLanguage ? addressBelow(ownLanguage, path) : readAddress(app, `/${encodeURI(path)}`, languages)
  const to = /[?#]/.test(target!) ? undefined : readAddress(app, target!, languages, from?.language.code)
  if (!from || !to) return undefined
  try {
    await mustNotLoop({ app }, to, from, languages)
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.key === 'redirect.loop') return 'leads back, or through more than ten others'
    throw error
  }
}
