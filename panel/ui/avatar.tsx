import { useState } from 'react'
import { cx } from './cx.ts'

interface Props {
  name: string
  url?: string | null | undefined
  size?: 'small' | 'normal' | 'large' | undefined
}

const sizes = { small: 'size-6 text-[0.625rem]', normal: 'size-8 text-xs', large: 'size-20 text-xl' }

/** The profile image of a person, or their initials. Decorative, because the name is always next to it. */
export function Avatar({ name, url, size = 'normal' }: Props) {
  const [failedUrl, setFailedUrl] = useState<string>()
  const frame = cx('inline-flex shrink-0 items-center justify-center overflow-hidden rounded-full', sizes[size])

  if (url && url !== failedUrl) {
    return <img src={url} alt="" onError={() => setFailedUrl(url)} className={cx(frame, 'object-cover')} />
  }

  return (
    <span aria-hidden="true" className={cx(frame, 'bg-accent-soft font-semibold text-accent select-none')}>
      {initials(name)}
    </span>
  )
}

function initials(name: string): string {
  const words = name
    .split('@')[0]!
    .split(/[\s._-]+/)
    .filter(Boolean)
  const picked = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  return picked.map(word => String.fromCodePoint(word.codePointAt(0)!).toLocaleUpperCase()).join('')
}
