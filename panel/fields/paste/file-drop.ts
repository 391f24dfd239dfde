import { type DragEvent, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { toast } from '../../ui/toast.ts'
import { createId } from '../id.ts'
import { imagesIn } from './clipboard.ts'

interface Options {
  disabled: boolean
  onDrop: (images: readonly File[], event: DragEvent<HTMLElement>) => void
}

/** Handles image files that are dragged in from the desktop. */
export function useFileDrop({ disabled, onDrop }: Options) {
  const [isOver, setOver] = useState(false)

  function dragged(event: DragEvent<HTMLElement>) {
    if (disabled || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(event.type === 'dragover')
    if (event.type !== 'drop') return
    const images = imagesIn(event.dataTransfer)
    if (images.length > 0) onDrop(images, event)
    else toast({ title: t('fields.paste.onlyPictures') })
  }

  return { isOver, handlers: { onDragOver: dragged, onDragLeave: dragged, onDrop: dragged } }
}

/** Browsers give every pasted image the same name. */
export function uniquelyNamed(file: File): File {
  const [, ending] = /^image(\.\w+)$/.exec(file.name) ?? []
  return ending === undefined ? file : new File([file], `image-${createId().slice(0, 8)}${ending}`, { type: file.type })
}
