import type { App } from '../app.ts'
import { fail } from '../platform/errors.ts'
import { restoreFile } from '../groups/files/restore.ts'
import { contentLanguage } from '../content/languages/languages.ts'
import { findPage, ownerOf } from '../groups/pages/pages.ts'
import { restorePage } from '../groups/pages/restore.ts'
import { owner as siteOwner } from '../groups/site/site.ts'
import { everything, selectEntries, selectEntry } from '../groups/site/trash/queries.ts'
import { purgeEntry, purgeSoon } from '../content/trash/trash.ts'
import { restoreUser } from '../groups/users/restore.ts'
import { operator, withSite } from './site.ts'
import { print, type Terminal, UsageError } from './terminal.ts'

interface Options {
  site: string
  json?: boolean
}

export interface RestoreOptions extends Options {
  parent?: string
  slug?: string
  name?: string
  email?: string
}

const atOnce = 500

/** Newest first. */
async function* entriesOf({ store }: App) {
  for (let offset = 0; ; offset += atOnce) {
    const rows = await selectEntries(store, everything, { limit: atOnce, offset })
    yield* rows
    if (rows.length < atOnce) return
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
  { site, json = false, ...wishes }: RestoreOptions,
  terminal: Terminal,
): Promise<void> {
  await withSite(site, terminal, async app => {
    const entry = await found(app, id)
    const at = await restored(app, entry, wishes)
    print(
      terminal,
      json,
      { status: 'ok', kind: entry.kind, uuid: entry.owner, id: at },
      `Restored ${entry.kind} ${at}.`,
    )
  })
}

async function restored(
  app: App,
  { id, kind }: Awaited<ReturnType<typeof found>>,
  { parent, slug, name, email }: Omit<RestoreOptions, keyof Options>,
): Promise<string> {
  const into =
    parent === undefined || parent === '/'
      ? undefined
      : await findPage(app, parent, await contentLanguage(app, undefined))
  const isTop = parent === '/'
  if (kind === 'user') return restoreUser(operator(app), id, { email })
  if (kind === 'page') return restorePage(operator(app), id, { parent: isTop ? '' : into?.uuid, slug })
  const owner = isTop ? siteOwner : into && ownerOf(into.uuid)
  return (await restoreFile(operator(app), id, { parent: owner, name })).filename
}

async function found({ store }: App, id: string) {
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
      id === undefined ? (await Array.fromAsync(entriesOf(app))).map(entry => entry.id) : [(await found(app, id)).id]
    for (const one of ids) if (await purgeEntry(operator(app), one)) count++
    purgeSoon(app)
    print(terminal, json, { status: 'ok', deleted: count }, `Deleted ${count} for good.`)
  })
}
