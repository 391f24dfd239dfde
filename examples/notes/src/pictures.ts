import type { OrBroken } from 'quoin/client'
import { html, type Html, trustedHtml } from './html.ts'
import type { Picture } from './site.ts'

/** How wide the sizes are that every picture has. */
const widths = { small: 256, medium: 512, large: 768, huge: 1024 }

/** In all its sizes: the browser takes the one that fits. */
export function renderPicture(picture: Picture, sizes: string): Html {
  const { alt, width, height, url, thumbs } = picture
  const set = Object.entries(widths).flatMap(([name, pixels]) => (thumbs[name] ? `${thumbs[name]} ${pixels}w` : []))
  return html`<img
    src="${thumbs['large'] ?? url}"
    srcset="${set.join(', ')}"
    sizes="${sizes}"
    alt="${alt}"
    width="${width}"
    height="${height}"
    loading="lazy"
  />`
}

export function renderFigure(picture: Picture, caption: OrBroken<string> = ''): Html {
  const words = caption || picture.caption
  return html`<figure>
    ${renderPicture(picture, '(min-width: 45rem) 42rem, 100vw')}
    ${words && html`<figcaption>${trustedHtml(words)}</figcaption>`}
  </figure>`
}
