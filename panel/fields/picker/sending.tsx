import { t } from '../../texts/texts.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'

export interface SendingFile {
  name: string
  /** From 0 to 1. */
  progress: number
}

/** Progress of a file that is being uploaded to a field. */
export function Sending({ name, progress }: SendingFile) {
  const text = t('fields.picker.uploading', { name })

  return (
    <div className="border-t px-3 py-2">
      <p className="mb-1.5 truncate text-sm text-muted" role="status">
        {text}
      </p>
      <ProgressBar value={progress} label={text} />
    </div>
  )
}
