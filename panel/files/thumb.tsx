import { File, FileArchive, FileCode, FileText, Image, Music, Video } from 'lucide-react'
import { useState } from 'react'
import { cx } from '../ui/cx.ts'
import type { Icon } from '../ui/icon.ts'
import type { FileBrief } from './parent.ts'

const icons = new Map<string | null, Icon>([
  ['archive', FileArchive],
  ['audio', Music],
  ['code', FileCode],
  ['document', FileText],
  ['image', Image],
  ['video', Video],
])

export const iconOf = (type: string | null): Icon => icons.get(type) ?? File

const chequered = 'bg-[repeating-conic-gradient(var(--sunken)_0_25%,var(--surface)_0_50%)] bg-size-[16px_16px]'

interface Props {
  file: Pick<FileBrief, 'filename' | 'thumbs' | 'type' | 'mime' | 'url'>
  /** The narrowest of the smaller pictures that is wide enough. */
  size?: 'tiny' | 'small' | 'medium' | 'large' | undefined
  /** Fills the frame and is cut, instead of being seen as a whole. */
  cover?: boolean | undefined
  className?: string | undefined
}

/** The picture, or an icon for what is none. It stands beside the name, so it says nothing itself. */
export function Thumb({ file, size = 'tiny', cover = false, className }: Props) {
  const url = file.thumbs?.[size] ?? (file.mime.startsWith('image/') ? file.url : undefined)
  const [broken, setBroken] = useState<string>()
  const Icon = iconOf(file.type)
  return (
    <span
      className={cx(
        'flex shrink-0 items-center justify-center overflow-hidden text-muted',
        url && url !== broken ? chequered : 'bg-sunken',
        className,
      )}
    >
      {url && url !== broken ? (
        <img
          src={url}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setBroken(url)}
          className={cx('size-full', cover ? 'object-cover' : 'object-contain')}
        />
      ) : (
        <Icon aria-hidden="true" className={size === 'tiny' ? undefined : 'size-7'} />
      )}
    </span>
  )
}
