import { CircleAlert, CircleCheck, Copy, RotateCw, Upload as UploadIcon, X } from 'lucide-react'
import { type DragEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { formatSize, t } from '../texts/texts.ts'
import { Button, type ButtonVariant } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { createUploads, withPastedName, type Upload, type UploadOptions, type Uploads } from './uploads.ts'

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
  /** Also accepts pasted pictures. Only one zone per screen should. */
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

/** Pending, failed and recently finished uploads. Renders nothing if there are none. */
export function UploadList({ uploads }: { uploads: Uploads }) {
  const all = uploads.use()
  const done = all.filter(({ status }) => status === 'done').length
  const failed = all.filter(({ status }) => status === 'failed').length
  const known = all.filter(({ status }) => status === 'known').length
  const sending = all.length - done - failed - known
  const isOver = sending === 0
  return (
    <>
      <p role="status" className="sr-only">
        {isOver && done + failed > 0 && t('files.uploads.over', { done, failed })}
      </p>
      {all.length > 0 && (
        <section aria-label={t('files.uploads')} className="rounded-lg border bg-surface">
          <header className="flex min-h-10 items-center gap-2 border-b ps-3 pe-1.5">
            <p className="min-w-0 flex-1 truncate text-sm font-medium">
              {isOver
                ? done + failed === 0
                  ? t('files.uploads')
                  : t('files.uploads.over', { done, failed })
                : t('files.uploads.sending', { count: sending })}
            </p>
            {isOver && <IconButton size="small" icon={X} label={t('action.close')} onClick={() => uploads.clear()} />}
          </header>
          <ul className="max-h-80 divide-y overflow-y-auto">
            {all.map(upload => (
              <Row key={upload.id} upload={upload} uploads={uploads} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function Row({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const { id, name, file, status, progress, error, isTaken, result, same } = upload
  const isKnown = status === 'known'
  const shown = result?.filename ?? name
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 ps-3 pe-1.5">
      {status === 'failed' && <CircleAlert aria-hidden="true" className="text-danger" />}
      {isKnown && <Copy aria-hidden="true" className="text-info" />}
      {status === 'done' && <CircleCheck aria-hidden="true" className="text-good" />}
      {(status === 'waiting' || status === 'sending') && <UploadIcon aria-hidden="true" className="text-muted" />}
      <div className="min-w-0 flex-1 basis-40">
        <p className="flex gap-2">
          <span className="min-w-0 truncate">{shown}</span>
          <span className="ms-auto shrink-0 text-sm text-muted tabular-nums">
            {status === 'waiting' ? t('files.uploads.waiting') : formatSize(file.size)}
          </span>
        </p>
        {status === 'sending' && (
          <div className="pt-1.5 pb-1">
            {/* All bytes are sent and the server is processing them; its progress is unknown. */}
            <ProgressBar label={shown} value={progress < 1 ? progress : undefined} />
          </div>
        )}
        {status === 'failed' && <p className="text-sm wrap-anywhere text-danger">{error}</p>}
        {isKnown && same && (
          <p role="status" className="text-sm wrap-anywhere text-muted">
            {t('files.same', {
              place: same.parent.kind === 'site' ? t('nav.site') : same.parent.title,
              name: same.filename,
            })}
          </p>
        )}
      </div>
      <div className="ms-auto flex shrink-0 items-center gap-1">
        {isKnown && (
          <>
            <Button size="small" onClick={() => uploads.copy(id)}>
              {t('library.copy')}
            </Button>
            <Button size="small" variant="plain" onClick={() => uploads.force(id)}>
              {t('files.same.upload')}
            </Button>
          </>
        )}
        {isTaken && (
          <Button size="small" onClick={() => uploads.keepBoth(id)}>
            {t('files.keepBoth')}
          </Button>
        )}
        {status === 'failed' && (
          <IconButton
            size="small"
            icon={RotateCw}
            label={t('files.retry', { name: shown })}
            onClick={() => uploads.retry(id)}
          />
        )}
        {status !== 'done' && (
          <IconButton
            size="small"
            icon={X}
            label={t(status === 'failed' || isKnown ? 'files.dismiss' : 'files.stop', { name: shown })}
            onClick={() => uploads.remove(id)}
          />
        )}
      </div>
    </li>
  )
}
