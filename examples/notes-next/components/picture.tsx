import type { Picture as Shown } from '../src/cms.ts'

/** How wide the sizes are that every picture has. */
const widths = { small: 256, medium: 512, large: 768, huge: 1024 }

/** The CMS has all sizes, so `next/image` has nothing to do. */
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
