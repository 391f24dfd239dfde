import { fail } from '../../platform/errors.ts'
import { mimeOf } from './types.ts'

/** Detects the media type from the first bytes. */
export async function detect(head: Uint8Array): Promise<string> {
  if (isAvif(head)) return 'image/avif'
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head)
  // With a byte order mark or `<?xml` it is text, and `kindOfText` decides which kind.
  if (found && found.mime !== 'application/xml') return found.mime
  if (startsWith(head, 'ID3')) return 'audio/mpeg' // the ID3 tag is longer than `head`, so the audio data is not in it
  return isText(head) ? kindOfText(new TextDecoder('utf-8').decode(head)) : 'application/octet-stream'
}

/** Checks all brands, because the major brand may be a generic one. */
function isAvif(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, 256)).toString('latin1')
  if (!text.startsWith('ftyp', 4)) return false
  const size = Buffer.from(head).readUInt32BE(0)
  const brands = [text.slice(8, 12), ...(text.slice(16, size).match(/.{4}/gs) ?? [])]
  return brands.some(brand => brand === 'avif' || brand === 'avis' || brand === 'avio')
}

const startsWith = (head: Uint8Array, text: string) =>
  Buffer.from(head.subarray(0, text.length)).toString('latin1') === text

/** No control characters. Does not require UTF-8: a CSV file may have a legacy encoding. */
function isText(head: Uint8Array): boolean {
  return head.every(byte => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d)
}

const html = /^<(?:!doctype\s+html|html|head|body|script|iframe|frameset|meta)(?=[\s>/]|$)/i

function kindOfText(text: string): string {
  const start = withoutPreface(text.replace(/^\ufeff/, ''))
  if (html.test(start)) return 'text/html'
  if (/^<\?(?:php|=)/i.test(start)) return 'text/x-php'
  if (/^<(?:svg|!DOCTYPE\s+svg)(?=[\s>/[])/i.test(start)) return 'image/svg+xml'
  if (/^<\?xml\s/.test(start)) return kindOfXml(start)
  return 'text/plain'
}

function kindOfXml(text: string): string {
  const root = withoutPreface(text.replace(/^<\?xml[^>]*>/, ''))
  return /^<(?:(?:[\w.-]+:)?svg|!DOCTYPE\s+svg)(?=[\s>/[])/i.test(root) ? 'image/svg+xml' : 'application/xml'
}

/** Skips whitespace and comments. */
function withoutPreface(text: string): string {
  let rest = text.trimStart()
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4)
    if (end < 0) return unfinished
    rest = rest.slice(end + 3).trimStart()
  }
  return rest
}

/** Assumed for a text whose first comment does not end within `head`: most likely it is markup. */
const unfinished = '<?xml ?>'

/** Extensions of text formats, which cannot be distinguished by their bytes. */
const texts = new Set(['css', 'csv', 'js', 'json', 'java', 'md', 'mdown', 'rb', 'py', 'scss', 'yaml', 'yml'])

/** Reported as `text/plain`, as clients expect. */
const plainTextExtensions = new Set(['md', 'mdown'])

const officeTypes = ['application/x-cfb']
const zipTypes = ['application/zip']
const videoTypes = ['video/mp4', 'video/x-m4v', 'video/quicktime']

/** Detected types that are also accepted for an extension. */
const others: Readonly<Record<string, readonly string[]>> = {
  ai: ['application/pdf', 'application/postscript', 'application/eps', 'application/illustrator'],
  doc: officeTypes,
  docx: zipTypes,
  dotx: zipTypes,
  eps: ['application/eps', 'application/postscript'],
  gz: ['application/x-gtar', 'application/x-tar+gzip'],
  gzip: ['application/x-gtar', 'application/x-tar+gzip'],
  j2k: ['image/j2c', 'image/jpx', 'image/jpm'],
  jp2: ['image/jpx', 'image/jpm'],
  m4a: ['audio/x-m4a', 'video/mp4'],
  m4v: videoTypes,
  mov: videoTypes,
  movie: videoTypes,
  mp4: videoTypes,
  mpe: ['video/mp1s', 'video/mp2p'],
  mpg: ['video/mp1s', 'video/mp2p'],
  ogg: ['audio/ogg', 'video/ogg', 'audio/opus'],
  ogv: ['application/ogg'],
  png: ['image/apng'],
  ppt: officeTypes,
  pptx: zipTypes,
  ps: ['application/eps'],
  tgz: ['application/x-gtar', 'application/x-tar+gzip'],
  webm: ['video/matroska'],
  xl: officeTypes,
  xls: officeTypes,
  xlsx: zipTypes,
  xltx: zipTypes,
}
/** Image types that browsers show and that are always detected by their bytes. */
const images = new Set(['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp'])
/** Extensions for which the detected type is stored. */
const storedAsDetected = new Set(['ai', 'ogg'])

/** The media type to store. Throws if the bytes do not match the extension. */
export function mimeFor(filename: string, extension: string, detected: string): string {
  const expected = mimeOf(extension)
  if (expected === undefined) return detected
  if (texts.has(extension)) {
    // Text formats have no signature, so only bytes that are clearly another type are refused.
    if (/^text\/|\/xml$|\/json$|\+xml$/.test(detected))
      return isPage(detected) ? detected : plainTextExtensions.has(extension) ? 'text/plain' : expected
  } else if (extension === 'zip' && /zip|openxmlformats|opendocument|epub/.test(detected)) return expected
  else if (detected === expected) return expected
  // Images are often converted without renaming them: the bytes decide.
  else if (images.has(expected) && images.has(detected)) return detected
  // The complete file is parsed later and must then be an SVG.
  else if (extension === 'svg' && detected === 'application/xml') return expected
  else if (others[extension]?.includes(detected.toLowerCase()) === true)
    return storedAsDetected.has(extension) ? detected : expected
  if (isPage(detected)) return detected
  throw fail('file.content.mismatch', { filename })
}

/** HTML and PHP pass here, because the rules refuse them with a more specific error. */
const isPage = (mime: string) => mime === 'text/html' || mime === 'text/x-php'
