import { t } from '../texts/texts.ts'
import { FocusPicker, type FocusPoint } from './focus.tsx'
import type { FileBrief } from './parent.ts'
import { iconOfFileType } from './thumb.tsx'

interface Props {
  file: FileBrief
  alt: string
  focus: FocusPoint
  /** Undefined if the focus point is read-only. */
  onFocus?: ((point: FocusPoint) => void) | undefined
}

/** A preview of an image, audio, video or document; an icon for other files. */
export function FilePreview({ file, alt, focus, onFocus }: Props) {
  const { mime, url, filename, type, extension } = file
  if (mime.startsWith('image/') && type === 'image')
    return (
      <FocusPicker
        url={file.thumbs?.['huge'] ?? url}
        size={file.dimensions}
        alt={alt}
        value={focus}
        onChange={onFocus}
      />
    )
  if (mime.startsWith('video/'))
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption -- uploaded files have no captions
      <video
        src={url}
        controls
        preload="metadata"
        className="max-h-[26rem] w-full rounded-md bg-sunken"
        aria-label={filename}
      />
    )
  if (mime.startsWith('audio/'))
    return (
      <div className="flex items-center justify-center rounded-md bg-sunken px-4 py-10">
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- uploaded files have no captions */}
        <audio src={url} controls preload="metadata" className="w-full" aria-label={filename} />
      </div>
    )
  const Icon = iconOfFileType(type)
  return (
    <div className="flex flex-col items-center justify-center gap-3 rounded-md bg-sunken px-4 py-14 text-muted">
      <Icon aria-hidden="true" className="size-10" />
      <p className="text-sm">{t('files.preview.none', { extension: extension.toUpperCase() })}</p>
    </div>
  )
}
