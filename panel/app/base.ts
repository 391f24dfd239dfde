/** Below which path the site is served: `` or `/cms`. The server writes it into the page. */
export const base = document.querySelector<HTMLMetaElement>('meta[name="quoin-base"]')?.content ?? ''
