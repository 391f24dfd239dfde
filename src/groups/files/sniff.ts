import { fail } from '../../platform/errors.ts'
import { mimeOf } from './types.ts'

/** What bytes are, as far as their beginning tells. */
export async function detect(head: Uint8Array): Promise<string> {
  if (isAvif(head)) return 'image/avif'
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head)
  // A byte order mark or `<?xml` is still text, and which kind of text is for us to say.
  if (found && found.mime !== 'application/xml') return found.mime
  if (startsWith(head, 'ID3')) return 'audio/mpeg' // with so long a preface that nothing else of it is here
  return isText(head) ? kindOfText(new TextDecoder('utf-8').decode(head)) : 'application/octet-stream'
}

/** By any of the brands that it names: the first one may be that of a wider family. */
function isAvif(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, 256)).toString('latin1')
  if (!text.startsWith('ftyp', 4)) return false
  const size = Buffer.from(head).readUInt32BE(0)
  const brands = [text.slice(8, 12), ...(text.slice(16, size).match(/.{4}/gs) ?? [])]
  return brands.some(brand => brand === 'avif' || brand === 'avis' || brand === 'avio')
}

const startsWith = (head: Uint8Array, text: string) =>
  Buffer.from(head.subarray(0, text.length)).toString('latin1') === text

/** No signs that only programs understand. Old encodings pass: a table of figures need not be UTF-8. */
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

/** Blanks and comments do not say what a text is. */
function withoutPreface(text: string): string {
  let rest = text.trimStart()
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4)
    if (end < 0) return unfinished
    rest = rest.slice(end + 3).trimStart()
  }
  return rest
}

/** What comes after a comment that is longer than what we know of a text: markup, most likely. */
const unfinished = '<?xml ?>'

/** Extensions of texts, which nothing in the bytes can tell from each other. */
const texts = new Set(['css', 'csv', 'js', 'json', 'java', 'md', 'mdown', 'rb', 'py', 'scss', 'yaml', 'yml'])

/** Those that clients know as plain text. */
const untold = new Set(['md', 'mdown'])

const office = ['application/x-cfb']
const zipped = ['application/zip']
const film = ['video/mp4', 'video/x-m4v', 'video/quicktime']

/** What bytes may be detected as, where that is not what the extension stands for. */
const others: Readonly<Record<string, readonly string[]>> = {
  ai: ['application/pdf', 'application/postscript', 'application/eps', 'application/illustrator'],
  doc: office,
  docx: zipped,
  dotx: zipped,
  eps: ['application/eps', 'application/postscript'],
  gz: ['application/x-gtar', 'application/x-tar+gzip'],
  gzip: ['application/x-gtar', 'application/x-tar+gzip'],
  j2k: ['image/j2c', 'image/jpx', 'image/jpm'],
  jp2: ['image/jpx', 'image/jpm'],
  m4a: ['audio/x-m4a', 'video/mp4'],
  m4v: film,
  mov: film,
  movie: film,
  mp4: film,
  mpe: ['video/mp1s', 'video/mp2p'],
  mpg: ['video/mp1s', 'video/mp2p'],
  ogg: ['audio/ogg', 'video/ogg', 'audio/opus'],
  ogv: ['application/ogg'],
  png: ['image/apng'],
  ppt: office,
  pptx: zipped,
  ps: ['application/eps'],
  tgz: ['application/x-gtar', 'application/x-tar+gzip'],
  webm: ['video/matroska'],
  xl: office,
  xls: office,
  xlsx: zipped,
  xltx: zipped,
}
/** Pictures that browsers show, and that are told from each other by their bytes alone. */
const pictures = new Set(['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp'])
/** Where the bytes know it better than the extension. */
const open = new Set(['ai', 'ogg'])

/** What the file is said to be from now on. What is in it must be what its name says. */
export function mimeFor(filename: string, extension: string, detected: string): string {
  const expected = mimeOf(extension)
  if (expected === undefined) return detected
  if (texts.has(extension)) {
    // Nothing in such a file makes it one, so that only what is certainly something else is refused.
    if (/^text\/|\/xml$|\/json$|\+xml$/.test(detected))
      return isPage(detected) ? detected : untold.has(extension) ? 'text/plain' : expected
  } else if (extension === 'zip' && /zip|openxmlformats|opendocument|epub/.test(detected)) return expected
  else if (detected === expected) return expected
  // Programs that convert pictures forget to rename them: what is in it counts.
  else if (pictures.has(expected) && pictures.has(detected)) return detected
  // The whole of it is read later, and then it must be a drawing.
  else if (extension === 'svg' && detected === 'application/xml') return expected
  else if (others[extension]?.includes(detected.toLowerCase()) === true)
    return open.has(extension) ? detected : expected
  if (isPage(detected)) return detected
  throw fail('file.content.mismatch', { filename })
}

/** What a browser would read as a page, or a server as a program: the rules have a word for it. */
const isPage = (mime: string) => mime === 'text/html' || mime === 'text/x-php'
