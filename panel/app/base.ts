/** Base path of the site: `` or `/cms`. The server writes it into the HTML. */
export const base = document.querySelector<HTMLMetaElement>('meta[name="quoin-base"]')?.content ?? ''
