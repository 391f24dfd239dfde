import { Upload as UploadIcon } from 'lucide-react'
import { type DragEvent, lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { t } from '../texts/texts.ts'
import { Button, type ButtonVariant } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { countOf, createUploads, withPastedName, type UploadOptions, type Uploads } from './uploads.ts'

/**
 * Uploads to one parent. Pass it to a DropZone (drop and paste), an UploadButton (file dialog) and an UploadList
 * (progress): `const uploads = useUploads({ parent: { kind: 'page', id }, template: 'image', onUploaded })`.
 */
export function useUploads(options: UploadOptions): Uploads {
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const [uploads] = useState(() => createUploads(() => latest.current))
  return uploads
}

interface ZoneProps {
  uploads: Uploads
  children: ReactNode
  /** Accepts no files. */
  disabled?: boolean | undefined
  /** Accepts a single file. */
  single?: boolean | undefined
  /** Also accepts pasted images. Only one zone per screen should. */
  paste?: boolean | undefined
  className?: string | undefined
}

/** Uploads files that are dropped on its children, or pasted anywhere on the screen. */
export function DropZone({ uploads, children, disabled = false, single = false, paste = false, className }: ZoneProps) {
  const [over, setOver] = useState(false)
  const depth = useRef(0)
  const receive = (files: Iterable<File>) => {
    const all = [...files]
    if (all.length > 0) uploads.add(single ? all.slice(0, 1) : all)
  }
  usePaste(paste && !disabled, files => receive(files.map(file => withPastedName(file))))

  const entered = (step: 1 | -1) => (event: DragEvent) => {
    if (disabled || !bringsFiles(event)) return
    event.preventDefault()
    depth.current += step
    setOver(depth.current > 0)
  }

  return (
    <div
      className={cx('relative min-w-0', className)}
      onDragEnter={entered(1)}
      onDragLeave={entered(-1)}
      onDragOver={event => {
        if (disabled || !bringsFiles(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
      }}
      onDrop={event => {
        if (disabled || !bringsFiles(event)) return
        event.preventDefault()
        event.stopPropagation()
        depth.current = 0
        setOver(false)
        receive(event.dataTransfer.files)
      }}
    >
      {children}
      {over && (
        <div
          aria-hidden="true"
          className="pointer-events-none absolute inset-0 z-10 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-accent-soft/90 font-medium text-accent"
        >
          <span className="flex items-center gap-2">
            <UploadIcon />
            {t('files.drop')}
          </span>
        </div>
      )}
    </div>
  )
}

const bringsFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')

function usePaste(active: boolean, receive: (files: File[]) => void): void {
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const { target, clipboardData } = event
    const isTyping = target instanceof Element && target.closest('input, textarea, [contenteditable], [role=dialog]')
    const files = [...(clipboardData?.files ?? [])]
    if (isTyping || files.length === 0) return
    event.preventDefault()
    receive(files)
  })
  useEffect(() => {
    if (!active) return undefined
    const listen = (event: ClipboardEvent) => onPaste(event)
    document.addEventListener('paste', listen)
    return () => document.removeEventListener('paste', listen)
  }, [active])
}

interface ButtonProps {
  uploads: Uploads
  /** As in HTML: `image/*`, `.pdf,.zip`. */
  accept?: string | undefined
  single?: boolean | undefined
  disabled?: boolean | undefined
  variant?: ButtonVariant | undefined
  size?: 'small' | undefined
  children?: ReactNode
}

/** Opens the file dialog of the browser. */
export function UploadButton({ uploads, accept, single = false, disabled, variant, size, children }: ButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        icon={UploadIcon}
        variant={variant}
        size={size}
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        {children ?? t('files.upload')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('files.upload')}
        accept={accept}
        multiple={!single}
        onChange={event => {
          uploads.add(event.target.files ?? [])
          event.target.value = ''
        }}
      />
    </>
  )
}

/** Lazy, because files are rarely uploaded. */
const Rows = lazy(async () => ({ default: (await import('./upload-rows.tsx')).UploadRows }))

/** Pending, failed and recently finished uploads. Renders nothing if there are none. */
export function UploadList({ uploads }: { uploads: Uploads }) {
  const all = uploads.use()
  const { done, failed, sending } = countOf(all)
  return (
    <>
      <p role="status" className="sr-only">
        {sending === 0 && done + failed > 0 && t('files.uploads.over', { done, failed })}
      </p>
      {all.length > 0 && (
        <Suspense>
          <Rows uploads={uploads} />
        </Suspense>
      )}
    </>
  )
}
