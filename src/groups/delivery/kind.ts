/** Types that browsers only display or play, without running scripts. */
const isPlain = (mime: string) => /^(image|video|audio)\/(?!.*(svg|xml))|^application\/pdf$/.test(mime)

/**
 * Content type and restrictions: types that could run scripts are sandboxed, and types that need not be displayed are
 * downloaded.
 */
export function headersOf({ mime, filename }: { mime: string; filename: string }): Record<string, string | undefined> {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mime) ? mime.toLowerCase() : 'application/octet-stream'
  const plain = isPlain(type)
  const isShown = plain || type === 'image/svg+xml' || type === 'text/plain'
  return {
    'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'content-security-policy': plain ? undefined : "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    'content-disposition': isShown ? 'inline' : `attachment; ${contentDisposition(filename)}`,
  }
}

/** The plain parameter with ASCII only, for old clients, and the encoded one of RFC 5987. */
function contentDisposition(filename: string): string {
  const ascii = filename.replaceAll(/[^\w.~ -]/g, '_')
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    sign => `%${sign.codePointAt(0)!.toString(16).toUpperCase()}`,
  )
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`
}
