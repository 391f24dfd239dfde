import { QuoinError } from '../../client/client.ts'
import { client } from '../app/client.ts'
import { session } from '../app/session.ts'
import { toId } from '../pages/id.ts'
import type { PageState } from '../pages/state-marks.tsx'
import type { Status } from '../pages/page.ts'

export interface RecentPage {
  link: string
  title: string
  kind: 'page'
  /** Finds the page after it has moved. */
  uuid?: string
}

/** A recent page as it is now. */
export interface CheckedRecentPage extends RecentPage {
  page?: { status: Status; state: PageState }
}

const maxRecent = 8

/** Local storage key: per device and user. */
function storageKey(): string | undefined {
  const state = session.get()
  return state.status === 'in' ? `quoin.recent.${state.user.id}` : undefined
}

export function recent(): RecentPage[] {
  const name = storageKey()
  try {
    const stored: unknown = JSON.parse((name && localStorage.getItem(name)) || '[]')
    return Array.isArray(stored) ? stored.filter(isRecent).slice(0, maxRecent) : []
  } catch {
    return []
  }
}

const isRecent = (value: unknown): value is RecentPage =>
  typeof value === 'object' &&
  value !== null &&
  'link' in value &&
  'title' in value &&
  typeof value.link === 'string' &&
  typeof value.title === 'string'

/** Removes deleted pages from the list, updates the titles and links of the others, and adds their states. */
export async function checkRecent(
  all: readonly RecentPage[],
  language: string | undefined,
): Promise<CheckedRecentPage[]> {
  const found = await Promise.all(all.map(page => reloadRecent(page, language)))
  const [existing, deleted] = [found.filter(page => page !== undefined), all.filter((_, index) => !found[index])]
  if (deleted.length > 0) saveRecent(recent().filter(({ link }) => !deleted.some(page => page.link === link)))
  return existing
}

async function reloadRecent(stored: RecentPage, language: string | undefined): Promise<CheckedRecentPage | undefined> {
  const id = stored.uuid === undefined ? stored.link.slice('/pages/'.length) : `@${stored.uuid.replace('page://', '')}`
  try {
    const { title, ...page } = await client.pages.get({ id, language, select: ['id', 'state', 'status', 'title'] })
    return { ...stored, link: `/pages/${toId(page.id)}`, title, page }
  } catch (error) {
    // Any other error does not prove that the page is deleted.
    return error instanceof QuoinError && error.status === 404 ? undefined : stored
  }
}

export function addRecent(page: RecentPage): void {
  saveRecent([
    page,
    ...recent().filter(({ link, uuid }) => link !== page.link && (uuid ?? link) !== (page.uuid ?? page.link)),
  ])
}

function saveRecent(all: readonly RecentPage[]): void {
  const name = storageKey()
  if (!name) return
  try {
    localStorage.setItem(name, JSON.stringify(all.slice(0, maxRecent)))
  } catch {
    // Without local storage there are no recent pages.
  }
}
