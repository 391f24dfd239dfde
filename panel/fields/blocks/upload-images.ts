import { errorText } from '../../app/errors.ts'
import { toast } from '../../ui/toast.ts'
import { uniquelyNamed } from '../paste/file-drop.ts'
import type { SendingFile } from '../picker/sending.tsx'
import { uploadTargetOf, upload } from '../picker/upload.ts'
import type { Fieldsets } from './block-value.ts'
import type { BlockActions } from './block-actions.ts'
import { type ImageBlock, uploadsOf, withImage } from './pasted-blocks.ts'

interface Target {
  fieldsets: Fieldsets
  model: string
  actions: () => Pick<BlockActions, 'change' | 'remove'>
  setSending: (sending: SendingFile | undefined) => void
}

/** Uploads the images of image blocks one by one. If an upload fails, its block is removed. */
export async function uploadImages(images: readonly ImageBlock[], { fieldsets, model, actions, setSending }: Target) {
  for (const { block, file } of images) {
    const set = fieldsets.get(block.type)
    const place = set && uploadTargetOf(uploadsOf(set), model)
    try {
      if (!place) throw new Error('no uploads')
      setSending({ name: file.name, progress: 0 })
      const entry = await upload(uniquelyNamed(file), place, progress => setSending({ name: file.name, progress }))
      actions().change(block.id, withImage(entry, set), 'uploaded')
    } catch (error) {
      actions().remove(block.id)
      toast({ tone: 'danger', title: file.name, text: errorText(error) })
    }
  }
  setSending(undefined)
}
