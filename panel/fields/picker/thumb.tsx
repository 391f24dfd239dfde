import { FileText, Film, Image, Music, User } from 'lucide-react'
import { useState } from 'react'
import { Avatar } from '../../ui/avatar.tsx'
import { cx } from '../../ui/cx.ts'
import { textIn } from '../field.ts'
import type { PickerEntry, PickerType } from './sources.ts'

interface Props {
  entry: PickerEntry
  type: PickerType
  size?: 'tiny' | 'small' | 'large' | undefined
}

/** The thumbnail of an entry, or an icon for its type. */
export function EntryThumb({ entry, type, size = 'small' }: Props) {
  const [broken, setBroken] = useState(false)
  const isImage =
    type === 'files' && (entry.type === 'image' || /\.(?:jpe?g|png|gif|webp|avif|svg)$/i.test(entry.filename ?? ''))
  const url = textIn(entry.image?.['url']) ?? (isImage || type === 'users' ? textIn(entry.url) : undefined)
  if (type === 'users') return <Avatar name={entry.text} url={url} />

  const frame = cx('flex shrink-0 items-center justify-center overflow-hidden bg-sunken text-muted', frames[size])
  const Icon = type === 'pages' ? FileText : (icons[entry.type ?? ''] ?? FileText)

  return (
    <span className={frame}>
      {url && !broken ? (
        <img
          src={url}
          srcSet={textIn(entry.image?.['srcset'])}
          sizes={size === 'large' ? '200px' : '32px'}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setBroken(true)}
          className={cx(
            'size-full',
            entry.image?.['cover'] === false && size === 'large' ? 'object-contain' : 'object-cover',
          )}
        />
      ) : (
        <Icon aria-hidden="true" className={size === 'large' ? 'size-6' : undefined} />
      )}
    </span>
  )
}

const frames = { tiny: 'size-5 rounded-sm', small: 'size-8 rounded-sm', large: 'aspect-3/2 w-full rounded-t-md' }

const icons: Readonly<Record<string, typeof Image | undefined>> = {
  image: Image,
  video: Film,
  audio: Music,
  user: User,
}
