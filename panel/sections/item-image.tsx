import { FileText } from 'lucide-react'
import { iconOf } from '../app/icons.ts'
import type { Icon } from '../ui/icon.ts'
import { FadingImage } from '../ui/fading-image.tsx'
import type { ItemImage as Image } from './item.ts'

interface Props {
  image: Image | null
  defaultIcon?: Icon | undefined
  /** For the upper part of a card instead of a row. */
  large?: boolean | undefined
}

/** The image of an item. Decorative, because the title is next to it. */
export function ItemImage({ image, defaultIcon = FileText, large = false }: Props) {
  if (!image) return null
  return (
    <FadingImage
      src={image.url}
      srcSet={image.srcset}
      sizes={large ? '22rem' : '2rem'}
      icon={iconOf(image.icon) ?? defaultIcon}
      cover={image.cover || !large}
      large={large}
      className={large ? 'aspect-3/2 w-full' : 'size-8 rounded-sm'}
    />
  )
}
