import { useState } from 'react'
import { library } from '../texts/en/library.ts'
import { addTexts } from '../texts/texts.ts'
import { OperationDialog } from './operation-dialog.tsx'
import { type MovableFile, useFileOperations } from './operations.ts'
import { RefusedDialog } from './refused-dialog.tsx'

addTexts(library)

interface Props {
  operation: 'move' | 'copy'
  file: MovableFile
  onClose: () => void
  /** `link` is where the file or its copy is. */
  onDone: (link: string) => void
}

/** Moves or copies one file to another page. */
export function OneFileOperation({ operation, file, onClose, onDone }: Props) {
  const { run, isBusy, refused } = useFileOperations()
  const [isAsked, setAsked] = useState(false)

  async function start(place: string | null) {
    const [result] = await run(operation, [file], place)
    if (result?.file) onDone(result.file.link)
    else if (result) setAsked(true)
    else onClose()
  }

  if (isAsked) return <RefusedDialog refused={refused} onClose={onClose} />
  return (
    <OperationDialog
      operation={operation}
      count={1}
      busy={isBusy}
      onClose={onClose}
      onConfirm={place => void start(place)}
    />
  )
}
