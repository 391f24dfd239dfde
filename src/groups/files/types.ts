/** The type of a file → its extensions. Blueprints accept files by type, and the panel shows it. */
const extensions: Readonly<Record<string, readonly string[]>> = {
  archive: ['gz', 'gzip', 'tar', 'tgz', 'zip'],
  audio: ['aif', 'aiff', 'm4a', 'midi', 'mp3', 'wav'],
  code: ['css', 'js', 'json', 'java', 'htm', 'html', 'php', 'rb', 'py', 'scss', 'xml', 'yaml', 'yml'],
  document: [
    'csv', 'doc', 'docx', 'dotx', 'indd', 'md', 'mdown', 'pdf', 'ppt', 'pptx', 'rtf', 'txt', 'xl', 'xls', 'xlsx', 'xltx',
  ],
  image: [
    'ai', 'avif', 'bmp', 'gif', 'eps', 'ico', 'j2k', 'jp2', 'jpeg', 'jpg', 'jpe', 'png', 'ps', 'psd', 'svg', 'tif', 'tiff', 'webp',
  ],
  video: ['avi', 'flv', 'm4v', 'mov', 'movie', 'mpe', 'mpg', 'mp4', 'ogg', 'ogv', 'swf', 'webm'],
} // prettier-ignore

const typeByExtension = new Map(
  Object.entries(extensions).flatMap(([type, list]) => list.map((extension): [string, string] => [extension, type])),
)

/** Null for an unknown extension. */
export function typeOf(extension: string): string | null {
  return typeByExtension.get(extension) ?? null
}

const office = 'application/vnd.openxmlformats-officedocument'

/** Extension → media type, if the bytes give no more specific one. */
const mimes: Readonly<Record<string, string>> = {
  ai: 'application/pdf', aif: 'audio/aiff', aiff: 'audio/aiff', avi: 'video/vnd.avi', avif: 'image/avif', bmp: 'image/bmp',
  css: 'text/css', csv: 'text/csv', doc: 'application/msword', docx: `${office}.wordprocessingml.document`,
  dotx: `${office}.wordprocessingml.template`, eps: 'application/postscript', flv: 'video/x-flv', gif: 'image/gif',
  gz: 'application/gzip', gzip: 'application/gzip', ico: 'image/x-icon', indd: 'application/x-indesign', j2k: 'image/jp2',
  java: 'text/x-java', jp2: 'image/jp2', jpe: 'image/jpeg', jpeg: 'image/jpeg', jpg: 'image/jpeg', js: 'text/javascript',
  json: 'application/json', m4a: 'audio/mp4', m4v: 'video/mp4', md: 'text/markdown', mdown: 'text/markdown',
  midi: 'audio/midi', mov: 'video/quicktime', movie: 'video/quicktime', mp3: 'audio/mpeg', mp4: 'video/mp4',
  mpe: 'video/mpeg', mpg: 'video/mpeg', ogg: 'application/ogg', ogv: 'video/ogg', pdf: 'application/pdf', png: 'image/png',
  ppt: 'application/vnd.ms-powerpoint', pptx: `${office}.presentationml.presentation`, ps: 'application/postscript',
  psd: 'image/vnd.adobe.photoshop', py: 'text/x-python', rb: 'text/x-ruby', rtf: 'application/rtf', scss: 'text/x-scss',
  svg: 'image/svg+xml', swf: 'application/x-shockwave-flash', tar: 'application/x-tar', tgz: 'application/gzip',
  tif: 'image/tiff', tiff: 'image/tiff', wav: 'audio/wav', webm: 'video/webm', webp: 'image/webp',
  xl: 'application/vnd.ms-excel', xls: 'application/vnd.ms-excel', xlsx: `${office}.spreadsheetml.sheet`,
  xltx: `${office}.spreadsheetml.template`, xml: 'application/xml', yaml: 'text/yaml', yml: 'text/yaml', zip: 'application/zip',
} // prettier-ignore

export function mimeOf(extension: string): string | undefined {
  return Object.hasOwn(mimes, extension) ? mimes[extension] : undefined
}

const extensionByMime = new Map(
  Object.entries(mimes)
    .toReversed()
    .map(([extension, mime]) => [mime, extension]),
)

/** For a file without an extension. */
export function extensionOf(mime: string): string | undefined {
  return preferred[mime] ?? extensionByMime.get(mime)
}

const preferred: Readonly<Record<string, string>> = {
  'application/gzip': 'gz',
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/jp2': 'jp2',
  'image/tiff': 'tif',
  'text/markdown': 'md',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
}

/** All known extensions, for `accept`. */
export const knownExtensions: readonly string[] = [...typeByExtension.keys()]

/** Image formats that browsers show. */
const viewable = new Set(['avif', 'gif', 'jpeg', 'jpg', 'png', 'svg', 'webp'])
export const isViewable = (extension: string) => viewable.has(extension)
