import { CircleAlert } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import type { RefusedFile } from './operations.ts'

/** The files that were not changed, each with its reason. */
export function RefusedDialog({ refused, onClose }: { refused: readonly RefusedFile[]; onClose: () => void }) {
  return (
    <Dialog
      open
      title={t('library.refused.title', { count: refused.length })}
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('action.close')}
        </Button>
      }
    >
      <ul aria-label={t('library.refused')} className="flex flex-col divide-y rounded-md border">
        {refused.map(({ file, reason }) => (
          <li key={file.uuid} className="flex items-start gap-2.5 px-3 py-2">
            <CircleAlert aria-hidden="true" className="mt-0.5 shrink-0 text-danger" />
            <div className="min-w-0 flex-1 wrap-anywhere">
              <span className="font-medium">{file.filename}</span>
              <p className="text-sm text-muted">{reason}</p>
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
