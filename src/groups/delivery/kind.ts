/** What browsers only ever show, play or page through: nothing in it can act. */
const isPlain = (mime: string) => /^(image|video|audio)\/(?!.*(svg|xml))|^application\/pdf$/.test(mime)

/** Type, and how much a browser may do with it: what could act is shut in, and what need not be shown is saved. */
export function headersOf({ mime, filename }: { mime: string; filename: string }): Record<string, string | undefined> {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mime) ? mime.toLowerCase() : 'application/octet-stream'
  const plain = isPlain(type)
  const isShown = plain || type === 'image/svg+xml' || type === 'text/plain'
  return {
    'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'content-security-policy': plain ? undefined : "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    'content-disposition': isShown ? 'inline' : `attachment; ${named(filename)}`,
  }
}

/** In the old form for ASCII, and in that of RFC 5987 for all. */
function named(filename: string): string {
  const ascii = filename.replaceAll(/[^\w.~ -]/g, '_')
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    sign => `%${sign.codePointAt(0)!.toString(16).toUpperCase()}`,
  )
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`
}
