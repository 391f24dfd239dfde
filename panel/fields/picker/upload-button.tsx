import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'

interface Props {
  onFiles: (files: File[]) => void
  /** As in HTML: `image/*`, `.pdf,.zip`. */
  accept: string | undefined
  multiple: boolean
  disabled: boolean
}

/** Opens the file dialog of the browser. */
export function PickerUploadButton({ onFiles, accept, multiple, disabled }: Props) {
  const input = useRef<HTMLInputElement>(null)

  return (
    <>
      <Button size="small" icon={Upload} onClick={() => input.current?.click()} disabled={disabled}>
        {t('fields.picker.upload')}
      </Button>
      <input
        ref={input}
        type="file"
        tabIndex={-1}
        aria-hidden="true"
        className="hidden"
        multiple={multiple}
        accept={accept}
        onChange={event => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </>
  )
}
