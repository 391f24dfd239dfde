import { cx } from '../ui/cx.ts'
import type { Icon } from '../ui/icon.ts'
import { iconOf } from './icons.ts'
import type { ItemImage as Shown } from './item.ts'

interface Props {
  image: Shown | null
  usual?: Icon | undefined
  /** In a row, or as the upper part of a card. */
  large?: boolean | undefined
}

/** Stands beside the name of a thing, so it says nothing itself. */
export function ItemImage({ image, usual, large }: Props) {
  if (!image) return null
  const Icon = iconOf(image.icon, usual)
  return (
    <span
      className={cx(
        'flex shrink-0 items-center justify-center overflow-hidden bg-sunken text-muted',
        large ? 'aspect-3/2 w-full' : 'size-8 rounded-sm',
      )}
    >
      {image.url ? (
        <img
          src={image.url}
          srcSet={image.srcset}
          sizes={large ? '22rem' : '2rem'}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          className={cx('size-full', image.cover || !large ? 'object-cover' : 'object-contain')}
        />
      ) : (
        <Icon aria-hidden="true" className={large ? 'size-7' : undefined} />
      )}
    </span>
  )
}
