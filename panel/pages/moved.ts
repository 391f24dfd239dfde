import { client } from '../app/client.ts'
import { queryClient } from '../app/query.ts'
import { toastWithUndo } from '../app/undo.ts'
import { clearDrafts, flushDrafts } from '../editor/open-drafts.ts'
import { t } from '../texts/texts.ts'
import { toId } from './id.ts'
import { type PageModel, uuidIdOf } from './page.ts'
import { refreshPages } from './page-query.ts'
import { parentOf } from './tree/nodes.ts'

type Place = Pick<PageModel, 'id' | 'isSortable' | 'num' | 'title' | 'uuid'>

interface Moved {
  /** What was done. */
  title: string
  /** The page as it was before. */
  before: Place
  /** Its path now. */
  path: string
  /** Its revision now. */
  revision: number
  /** Opens a page: called if the screen shows the page that is moved back. */
  open: (id: string) => unknown
}

/** Shows that a page was moved or sorted, with an undo button. */
export function toastMoved({ title, before, path, revision, open }: Moved): void {
  toastWithUndo({
    title,
    undone: t('pages.moved.back', { title: before.title }),
    undo: async () => {
      const isOpen = decodeURI(location.pathname).endsWith(`/pages/${toId(path)}`)
      await flushDrafts()
      await moveBack(before, path, revision)
      if (path !== before.id) clearDrafts(`/pages/${toId(path)}`)
      if (isOpen && path !== before.id) await open(toId(before.id))
      await refreshPages(queryClient)
    },
  })
}

/** To its former parent, and to its former position among the pages there. */
export async function moveBack(before: Place, path: string, revision: number): Promise<void> {
  const [id, parent] = [uuidIdOf(before), parentOf(before.id)]
  const place = before.isSortable && before.num !== null ? { position: before.num } : {}
  if (parent !== parentOf(path))
    await client.pages.move({ id }, { parent: parent === '' ? null : parent, ...place, revision })
  else if ('position' in place) await client.pages.changeStatus({ id }, { status: 'listed', ...place, revision })
}
