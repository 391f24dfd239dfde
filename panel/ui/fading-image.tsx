import { useState } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'

interface Props {
  src: string | undefined
  srcSet?: string | undefined
  sizes?: string | undefined
  /** Shown while the image loads, and if there is none. */
  icon: Icon
  /** Fills the frame and is cropped, instead of being shown as a whole. */
  cover?: boolean | undefined
  /** A larger icon than in rows. */
  large?: boolean | undefined
  /** Sets the size of the frame, which does not depend on the image. */
  className?: string | undefined
}

const chequered = 'bg-[repeating-conic-gradient(var(--sunken)_0_25%,var(--surface)_0_50%)] bg-size-[16px_16px]'

/** An image that fades in over its icon. Decorative, because a name is next to it. */
export function FadingImage({ src, srcSet, sizes, icon: Icon, cover = false, large = false, className }: Props) {
  const [state, setState] = useState<{ src: string | undefined; isShown: boolean }>()
  const loaded = state?.src === src ? state : undefined
  const isShown = loaded?.isShown === true
  return (
    <span
      className={cx(
        'relative flex shrink-0 items-center justify-center overflow-hidden bg-sunken text-faint',
        className,
      )}
    >
      {!isShown && <Icon aria-hidden="true" className={large ? 'size-7' : undefined} />}
      {src !== undefined && loaded?.isShown !== false && (
        <img
          // A cached image is shown at once, without waiting for `onLoad`.
          ref={image => {
            if (image?.complete && image.naturalWidth > 0 && !isShown) setState({ src, isShown: true })
          }}
          src={src}
          srcSet={srcSet}
          sizes={sizes}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onLoad={() => setState({ src, isShown: true })}
          onError={() => setState({ src, isShown: false })}
          className={cx(
            'absolute inset-0 m-auto transition-opacity duration-150',
            cover ? 'size-full object-cover' : 'max-h-full max-w-full',
            isShown ? chequered : 'opacity-0',
          )}
        />
      )}
    </span>
  )
}
