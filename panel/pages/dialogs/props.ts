import type { PageModel } from '../page.ts'

/** What every dialog about a page is given. */
export interface PageDialogProps {
  page: PageModel
  language: string | undefined
  onClose: () => void
  /** Where the page is from now on; null if it has gone. */
  onMoved?: ((id: string | null) => void) | undefined
}
