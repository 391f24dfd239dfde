import type { SVGProps } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'

/** With skin tone, variation selector and tags, such as those of the flag of Scotland. */
const pictograph = String.raw`\p{Extended_Pictographic}[\p{EMod}\p{M}\u{E0020}-\u{E007F}]*`
/** A flag, a keycap, or pictographs that are joined into one, such as a family. */
const emoji = new RegExp(String.raw`^(?:\p{RI}{2}|[#*\d]\uFE0F?\u20E3|${pictograph}(?:\u200D${pictograph})*)$`, 'u')
/** In UTF-16 code units. */
const maxLength = 40

/** Caches the components: a new component type on every render would remount its subtree. */
const iconCache = new Map<string, Icon>()

/** An emoji as an icon, in the font of the system. Undefined for any other text. */
export function emojiIcon(text: string): Icon | undefined {
  if (text.length > maxLength || !emoji.test(text)) return undefined
  let icon = iconCache.get(text)
  if (!icon) iconCache.set(text, (icon = createIcon(text)))
  return icon
}

function createIcon(text: string): Icon {
  return function EmojiIcon({ className, ...rest }: SVGProps<SVGSVGElement>) {
    return (
      <svg viewBox="0 0 24 24" className={cx('lucide', className)} {...rest}>
        <text x="12" y="12" fontSize="20" textAnchor="middle" dominantBaseline="central">
          {text}
        </text>
      </svg>
    )
  }
}
