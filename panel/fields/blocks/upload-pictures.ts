import { errorText } from '../../app/errors.ts'
import { toast } from '../../ui/toast.ts'
import { uniquelyNamed } from '../paste/file-drop.ts'
import type { SendingFile } from '../picker/sending.tsx'
import { uploadTargetOf, upload } from '../picker/upload.ts'
import type { Fieldsets } from './block-value.ts'
import type { BlockActions } from './block-actions.ts'
import { type PictureBlock, uploadsOf, withPicture } from './pasted-blocks.ts'

interface Target {
  fieldsets: Fieldsets
  model: string
  actions: () => Pick<BlockActions, 'change' | 'remove'>
  setSending: (sending: SendingFile | undefined) => void
}

/** Uploads the pictures of image blocks one by one. If an upload fails, its block is removed. */
export async function uploadPictures(
  pictures: readonly PictureBlock[],
  { fieldsets, model, actions, setSending }: Target,
) {
  for (const { block, file } of pictures) {
    const set = fieldsets.get(block.type)
    const place = set && uploadTargetOf(uploadsOf(set), model)
    try {
      if (!place) throw new Error('no uploads')
      setSending({ name: file.name, progress: 0 })
      const entry = await upload(uniquelyNamed(file), place, progress => setSending({ name: file.name, progress }))
      actions().change(block.id, withPicture(entry, set), 'uploaded')
    } catch (error) {
      actions().remove(block.id)
      toast({ tone: 'danger', title: file.name, text: errorText(error) })
    }
  }
  setSending(undefined)
}
