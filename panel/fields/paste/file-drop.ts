import { type DragEvent, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { toast } from '../../ui/toast.ts'
import { createId } from '../id.ts'
import { picturesIn } from './clipboard.ts'

interface Options {
  disabled: boolean
  onDrop: (pictures: readonly File[], event: DragEvent<HTMLElement>) => void
}

/** Handles picture files that are dragged in from the desktop. */
export function useFileDrop({ disabled, onDrop }: Options) {
  const [isOver, setOver] = useState(false)

  function dragged(event: DragEvent<HTMLElement>) {
    if (disabled || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(event.type === 'dragover')
    if (event.type !== 'drop') return
    const pictures = picturesIn(event.dataTransfer)
    if (pictures.length > 0) onDrop(pictures, event)
    else toast({ title: t('fields.paste.onlyPictures') })
  }

  return { isOver, handlers: { onDragOver: dragged, onDragLeave: dragged, onDrop: dragged } }
}

/** Browsers give every pasted picture the same name. */
export function uniquelyNamed(file: File): File {
  const [, name, ending] = /^(image|picture)(\.\w+)$/.exec(file.name) ?? []
  return name === undefined ? file : new File([file], `${name}-${createId().slice(0, 8)}${ending}`, { type: file.type })
}
