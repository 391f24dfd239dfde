import { File, FileArchive, FileCode, FileText, Image, Music, Video } from 'lucide-react'
import type { Icon } from '../ui/icon.ts'
import { FadingImage } from '../ui/fading-image.tsx'
import type { FileBrief } from './parent.ts'

const icons = new Map<string | null, Icon>([
  ['archive', FileArchive],
  ['audio', Music],
  ['code', FileCode],
  ['document', FileText],
  ['image', Image],
  ['video', Video],
])

export const iconOfFileType = (type: string | null): Icon => icons.get(type) ?? File

interface Props {
  file: Pick<FileBrief, 'filename' | 'thumbs' | 'type' | 'mime' | 'url'>
  /** The thumbnail to use, by its width. */
  size?: 'tiny' | 'small' | 'medium' | 'large' | undefined
  /** Fills the frame and is cropped, instead of being shown as a whole. */
  cover?: boolean | undefined
  className?: string | undefined
}

/** A thumbnail, or an icon for files that are not images. */
export function FileThumb({ file, size = 'tiny', cover = false, className }: Props) {
  const url = file.thumbs?.[size] ?? (file.mime.startsWith('image/') ? file.url : undefined)
  return (
    <FadingImage
      src={url}
      icon={iconOfFileType(file.type)}
      cover={cover}
      large={size !== 'tiny'}
      className={className}
    />
  )
}
