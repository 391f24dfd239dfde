import { createHash } from 'node:crypto'
import { escapeHtml } from '../../platform/lib/html.ts'
import { closestTranslation, translate } from '../../platform/translations/translations.ts'

/** The colours are those of the panel (`panel/panel.css`). */
const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
    background: light-dark(#f6f7f7, #111516); color: light-dark(#182021, #e7ebeb) }
  * { box-sizing: border-box; margin: 0 }
  body { min-height: 100dvh; display: grid; place-items: center; padding: 2rem 1rem }
  main { width: 100%; max-width: 26rem; padding: 2rem; border: 1px solid light-dark(#e2e6e6, #2a3132); border-radius: .75rem;
    background: light-dark(#fff, #181d1e) }
  svg { display: block; width: 2.5rem; height: 2.5rem; margin-block-end: 1.25rem }
  h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere }
  p { margin-block-start: .5rem; color: light-dark(#515c5e, #a8b2b3) }
  nav { display: flex; flex-wrap: wrap; gap: .625rem; margin-block-start: 1.5rem }
  a { flex: 1 0 auto; padding: .5rem 1rem; border: 1px solid light-dark(#cdd4d4, #3a4344); border-radius: .375rem;
    text-align: center; text-decoration: none; font-weight: 600; color: inherit }
  a:first-child { border-color: transparent; background: light-dark(#0e5f63, #63c1bc); color: light-dark(#fff, #062322) }
  a:hover { text-decoration: underline }
  a:focus-visible { outline: 2px solid light-dark(#0b7f85, #7edbd5); outline-offset: 2px }`

/** The icon of the panel (`panel/public/icon.svg`): part of the page, so that it is there without the panel, too. */
const mark =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0f5f66"/><path d="M8 9h11l5 14H13z" fill="#fff"/></svg>'

const styleHash = createHash('sha256').update(style).digest('base64')

/** Nothing runs on the page, and only its own style applies. */
export const startPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "img-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const startPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': startPagePolicy,
  'cache-control': 'no-cache',
  vary: 'Accept, Accept-Language',
}

/** Browsers that open an address do; programs and scripts do not. */
export const asksForHtml = ({
  method,
  headers: { accept = '' },
}: {
  method: string
  headers: { accept?: string | undefined }
}): boolean => ['GET', 'HEAD'].includes(method) && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept)

/** For people who open an address where nothing is. */
export const notFoundPage = (language: string, base: string): string =>
  startPage({ title: translate(language, 'error.notFound'), language, base })

export interface StartPage {
  /** The name of the site, or what happened. */
  title: string
  /** Of the visitor. */
  language: string
  /** The base path: `''` or `/cms`. */
  base: string
}

/** For people who open the address of the server in a browser: what this is, and where to go. */
export function startPage({ title, language, base }: StartPage): string {
  const { id, direction } = closestTranslation(language)
  const text = (key: string) => escapeHtml(translate(id, key))
  const path = escapeHtml(base)
  return `<!doctype html>
<html lang="${id}" dir="${direction}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>${escapeHtml(title)}</title>
    <link rel="icon" type="image/svg+xml" href="${path}/panel/icon.svg" />
    <style>${style}</style>
  </head>
  <body>
    <main>
      ${mark}
      <h1>${escapeHtml(title)}</h1>
      <p>${text('start.text')}</p>
      <nav>
        <a href="${path}/panel">${text('start.panel')}</a>
        <a href="${path}/reference/">${text('start.reference')}</a>
      </nav>
    </main>
  </body>
</html>
`
}
