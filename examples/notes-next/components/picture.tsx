import type { Picture as Shown } from '../src/cms.ts'

/** The widths of the sizes that every picture has, in pixels. */
const widths = { small: 256, medium: 512, large: 768, huge: 1024 }

/** The CMS creates all sizes, so `next/image` is not needed. */
export function Picture({ picture, sizes }: { picture: Shown; sizes: string }) {
  const { alt, width, height, url, thumbs } = picture
  const set = Object.entries(widths).flatMap(([name, pixels]) => (thumbs[name] ? `${thumbs[name]} ${pixels}w` : []))
  return (
    <img
      src={thumbs['large'] ?? url}
      srcSet={set.join(', ')}
      sizes={sizes}
      alt={alt}
      width={width}
      height={height}
      loading="lazy"
    />
  )
}
