/** Path that the CMS is served under: empty, or such as `/cms`. The server writes it into the HTML. */
export const base = document.querySelector<HTMLMetaElement>('meta[name="quoin-base"]')?.content ?? ''
