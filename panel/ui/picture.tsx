import { useState } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'

interface Props {
  src: string | undefined
  srcSet?: string | undefined
  sizes?: string | undefined
  /** Stands there while the picture is on its way, and where there is none. */
  icon: Icon
  /** Fills the frame and is cut, instead of being seen as a whole. */
  cover?: boolean | undefined
  /** Instead of an icon as small as those in rows. */
  large?: boolean | undefined
  /** The frame: its size does not depend on what comes. */
  className?: string | undefined
}

const chequered = 'bg-[repeating-conic-gradient(var(--sunken)_0_25%,var(--surface)_0_50%)] bg-size-[16px_16px]'

/** A picture that fades in over its icon. It stands beside a name, so it says nothing itself. */
export function Picture({ src, srcSet, sizes, icon: Icon, cover = false, large = false, className }: Props) {
  const [state, setState] = useState<{ src: string | undefined; isShown: boolean }>()
  const known = state?.src === src ? state : undefined
  const isShown = known?.isShown === true
  return (
    <span
      className={cx(
        'relative flex shrink-0 items-center justify-center overflow-hidden bg-sunken text-faint',
        className,
      )}
    >
      {!isShown && <Icon aria-hidden="true" className={large ? 'size-7' : undefined} />}
      {src !== undefined && known?.isShown !== false && (
        <img
          // Pictures that are there already are shown at once.
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
