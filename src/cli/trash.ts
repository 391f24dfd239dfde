import type { App } from '../app.ts'
import { fail } from '../platform/errors.ts'
import { restoreFile } from '../groups/files/restore.ts'
import { contentLanguage } from '../content/languages/languages.ts'
import { findPage, ownerOfPage } from '../groups/pages/pages.ts'
import { restorePage } from '../groups/pages/restore.ts'
import { siteOwner } from '../groups/site/site.ts'
import { everything, selectEntries, selectEntry } from '../groups/site/trash/queries.ts'
import { purgeEntry, purgeSoon } from '../content/trash/trash.ts'
import { restoreUser } from '../groups/users/restore.ts'
import { operatorContext, withSite } from './site.ts'
import { print, type Terminal, UsageError } from './terminal.ts'

interface Options {
  site: string
  json?: boolean
}

export interface TrashRestoreOptions extends Options {
  parent?: string
  slug?: string
  name?: string
  email?: string
}

const batchSize = 500

/** Newest first. */
async function* entriesOf({ store }: App) {
  for (let offset = 0; ; offset += batchSize) {
    const rows = await selectEntries(store, everything, { limit: batchSize, offset })
    yield* rows
    if (rows.length < batchSize) return
  }
}

export async function list({ site, json = false }: Options, terminal: Terminal): Promise<void> {
  await withSite(site, terminal, async app => {
    const entries = (await Array.fromAsync(entriesOf(app))).map(
      ({ id, kind, title, path, pages, files, deleted_at, email }) => ({
        id,
        kind,
        title,
        path,
        pages,
        files,
        time: new Date(deleted_at).toISOString(),
        by: email,
      }),
    )
    const lines = entries.map(({ id, kind, time, path, pages, files }) =>
      [id, kind, time, path, ...(kind === 'page' ? [`(${pages} pages, ${files} files)`] : [])].join('  '),
    )
    print(terminal, json, entries, lines.join('\n') || 'The trash is empty.')
  })
}

export async function restore(
  id: string,
  { site, json = false, ...wishes }: TrashRestoreOptions,
  terminal: Terminal,
): Promise<void> {
  await withSite(site, terminal, async app => {
    const entry = await findEntry(app, id)
    const at = await restoreEntry(app, entry, wishes)
    print(
      terminal,
      json,
      { status: 'ok', kind: entry.kind, uuid: entry.owner, id: at },
      `Restored ${entry.kind} ${at}.`,
    )
  })
}

async function restoreEntry(
  app: App,
  { id, kind }: Awaited<ReturnType<typeof findEntry>>,
  { parent, slug, name, email }: Omit<TrashRestoreOptions, keyof Options>,
): Promise<string> {
  const into =
    parent === undefined || parent === '/'
      ? undefined
      : await findPage(app, parent, await contentLanguage(app, undefined))
  const isTop = parent === '/'
  if (kind === 'user') return restoreUser(operatorContext(app), id, { email })
  if (kind === 'page') return restorePage(operatorContext(app), id, { parent: isTop ? '' : into?.uuid, slug })
  const owner = isTop ? siteOwner : into && ownerOfPage(into.uuid)
  return (await restoreFile(operatorContext(app), id, { parent: owner, name })).filename
}

async function findEntry({ store }: App, id: string) {
  const entry = await selectEntry(store, everything, id)
  if (!entry) throw fail('trash.notFound')
  return entry
}

/** Deletes one entry for good, or all of them with `--all`. */
export async function remove(
  id: string | undefined,
  { site, json = false, all = false }: Options & { all?: boolean },
  terminal: Terminal,
): Promise<void> {
  if (all === (id !== undefined)) throw new UsageError('Name one entry of the trash, or use --all.')
  await withSite(site, terminal, async app => {
    let count = 0
    const ids =
      id === undefined
        ? (await Array.fromAsync(entriesOf(app))).map(entry => entry.id)
        : [(await findEntry(app, id)).id]
    for (const one of ids) if ((await purgeEntry(operatorContext(app), one)) === 'purged') count++
    purgeSoon(app)
    print(terminal, json, { status: 'ok', deleted: count }, `Deleted ${count} for good.`)
  })
}
