import type { PageModel } from '../page.ts'

/** Props of every dialog about a page. */
export interface PageDialogProps {
  page: PageModel
  language: string | undefined
  onClose: () => void
  /** Called with the new id of the page; null if it was deleted. */
  onMoved?: ((id: string | null) => void) | undefined
}
