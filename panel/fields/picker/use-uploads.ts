import { useState } from 'react'
import { errorText } from '../../app/errors.ts'
import { toast } from '../../ui/toast.ts'
import type { SendingFile } from './sending.tsx'
import type { PickerEntry } from './sources.ts'
import { upload, type UploadTarget } from './upload.ts'

/** Uploads files one after the other. A file that is refused is reported and does not stop the others. */
export function usePickerUploads(place: UploadTarget | undefined) {
  const [sending, setSending] = useState<SendingFile>()

  async function send(files: readonly File[], onUploaded: (entry: PickerEntry) => void): Promise<void> {
    if (!place) return
    for (const file of files) {
      setSending({ name: file.name, progress: 0 })
      try {
        onUploaded(await upload(file, place, progress => setSending({ name: file.name, progress })))
      } catch (error) {
        toast({ tone: 'danger', title: file.name, text: errorText(error) })
      }
    }
    setSending(undefined)
  }

  return { sending, send }
}
