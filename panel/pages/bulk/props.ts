import type { BulkOperation, SelectedPage } from './use-bulk-operation.ts'

/** Props of the dialogs that ask what to do with the selected pages. */
export interface BulkFormProps {
  title: string
  pages: readonly SelectedPage[]
  language: string | undefined
  onClose: () => void
  onStart: (operation: BulkOperation) => void
}
