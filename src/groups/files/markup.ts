import { runToEnd } from '../../platform/lib/steps.ts'
import { createYielder, runStepsYielding, type Steps } from '../../platform/lib/yield.ts'
import { type Message, message } from '../../platform/texts.ts'

/** The reason why an SVG or another XML file is refused. */
export class UnsafeMarkup extends Error {
  readonly reason: Message

  constructor(reason: Message) {
    super(String(reason))
    this.reason = reason
  }
}

const svg = 'http://www.w3.org/2000/svg'
const xlink = 'http://www.w3.org/1999/xlink'
const xml = 'http://www.w3.org/XML/1998/namespace'
/** The only namespaces of w3.org and mozilla.org that are harmless: browsers do nothing with them. */
const inert = new Set([
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  'http://www.w3.org/2000/01/rdf-schema#',
  xml,
  xlink,
])
const isActive = (namespace: string) =>
  /\/\/(?:www\.)?(?:w3\.org|mozilla\.org)\//i.test(namespace) && !inert.has(namespace)
/** Namespaces that make a browser execute, render or load something in any XML file. */
const runs =
  /^http:\/\/www\.w3\.org\/(?:1999\/xhtml|2000\/svg|1998\/Math|1999\/XSL\/|2001\/XInclude|2001\/xml-events|ns\/xbl)/

/** SVG elements that draw. Elements that execute scripts or embed other documents are left out. */
const elements = new Set(
  `a animate animateColor animateMotion animateTransform circle clipPath defs desc ellipse feBlend feColorMatrix
  feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA
  feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting
  feSpotLight feTile feTurbulence filter flowPara flowRegion flowRoot flowSpan font font-face font-face-name font-face-src g glyph
  glyphRef hatch hatchpath hkern image line linearGradient marker mask mesh meshgradient meshpatch meshrow metadata missing-glyph
  mpath path pattern polygon polyline radialGradient rect set solidcolor stop style svg switch symbol text textPath title tref tspan
  use view vkern`.split(/\s+/),
)

export interface Root {
  name: string
  attributes: ReadonlyMap<string, string>
}

interface Frame {
  /** The qualified name, as written. */
  name: string
  local: string
  namespaces: ReadonlyMap<string, string>
  isStyle: boolean
}

const maxDepth = 200
const maxAttributes = 500
/** Limit for elements, attributes, texts and entities together. */
const maxParts = 400_000
const maxAddresses = 50_000
/** Limits of one attribute, which is checked without a pause: entities, and characters of a style or an animation. */
const maxEntities = 50_000
const maxStyleLength = 1_000_000
const maxAnimationLength = 100_000
/** Characters of a text that are decoded without a pause. */
const portionLength = 32_768
/** Limit for namespace declarations that change something: each copies the map of those around it. */
const maxNamespaces = 100
const maxNamespaceLength = 1000
/**
 * Regular expressions of this parser match few characters: they remember every step of a loop, and a loop over
 * megabytes exceeds their memory. Whitespace and the values of attributes are found without them.
 */
const nameForm = String.raw`[\p{L}_][\p{L}\p{N}._-]{0,255}(?::[\p{L}_][\p{L}\p{N}._-]{0,255})?`
const opening = new RegExp(`<(${nameForm})`, 'uy')
const closing = new RegExp(`</(${nameForm})`, 'uy')
const attributeName = new RegExp(nameForm, 'uy')
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const unknownToXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/
/** The next character that is not whitespace in XML: quicker than a loop, until that one is compiled. */
const notBlank = /[^ \n\t\r]/g
const tagEnd = /(\/?)>/y
const declaration =
  /<\?xml\s{1,9}version\s{0,9}=\s{0,9}["']1\.[01]["'](?:\s{1,9}encoding\s{0,9}=\s{0,9}["']([\w.-]{1,99})["'])?[^?>]{0,99}\?>/y

/**
 * Parses the markup as browsers do, in one pass that yields to the event loop, and throws `Unsafe` for everything that
 * could do more than display. Only the five predefined entities are allowed, so entity expansion cannot make the text grow.
 */
export async function checkMarkup(text: string, kind: 'svg' | 'xml'): Promise<Root> {
  const yielder = createYielder()
  const frames: Frame[] = []
  let root: Root | undefined
  let style = ''
  let parts = 0
  let declared = 0
  let at = text.startsWith('\ufeff') ? 1 : 0
  if (unknownToXml.test(text)) throw malformed()

  const count = (): void => {
    if (++parts > maxParts) throw malformed()
  }

  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text) ?? undefined
    if (found) at = pattern.lastIndex
    return found
  }

  /** Skips whitespace, and tells whether there was any. */
  const skipBlanks = (): boolean => {
    notBlank.lastIndex = at
    const end = notBlank.test(text) ? notBlank.lastIndex - 1 : text.length
    const isSkipped = end > at
    at = end
    return isSkipped
  }

  const until = (end: string, from: number): number => {
    const found = text.indexOf(end, from)
    if (found < 0) throw malformed()
    return found
  }

  /** Text between tags. */
  const takeText = (piece: string): void => {
    const top = frames.at(-1)
    if (!top && piece.trim() !== '') throw malformed()
    if (top?.isStyle && kind === 'svg') style += piece
  }

  if (text.startsWith('<?xml', at)) {
    const [, encoding = 'utf-8'] = take(declaration) ?? failMalformed()
    if (!/^(?:utf-?8|us-ascii)$/i.test(encoding)) throw malformed()
  }
  for (let next = -1; at < text.length;) {
    if (yielder.isDue()) await yielder.yieldNow()
    count()
    if (next < at) next = text.indexOf('<', at)
    if (next < 0) next = text.length
    const end = endOfPortion(text, at, next)
    if (end > at) {
      takeText(decoded(text.slice(at, end), count))
      at = end
    } else if (text.startsWith('<!--', at)) at = until('-->', at + 4) + 3
    else if (text.startsWith('<![CDATA[', at)) {
      const close = until(']]>', at + 9)
      takeText(text.slice(at + 9, close))
      at = close + 3
    } else if (text.startsWith('<!', at)) throw new UnsafeMarkup(message('unsafe.doctype'))
    else if (text.startsWith('<?', at)) throw new UnsafeMarkup(message('unsafe.instruction'))
    else if (text.startsWith('</', at)) {
      const [, name] = take(closing) ?? failMalformed()
      skipBlanks()
      if (text[at++] !== '>' || frames.pop()?.name !== name) throw malformed()
    } else {
      const { frame, attributes, isClosed } = takeTag()
      if (frames.length === 0) {
        if (root) throw malformed()
        root = { name: frame.local, attributes }
      }
      if (!isClosed) frames.push(frame)
      if (frames.length > maxDepth) throw malformed()
    }
  }
  if (!root || frames.length > 0) throw malformed()
  await yielder.yieldNow()
  if (suspiciousStyle.test(style)) await runStepsYielding(styleMustBeHarmless(style))
  return root

  function takeTag(): { frame: Frame; attributes: Map<string, string>; isClosed: boolean } {
    const [, name] = take(opening) ?? failMalformed()
    const attributes = new Map<string, string>()
    while (skipBlanks()) {
      const [key] = take(attributeName) ?? []
      if (key === undefined) break
      if (attributes.has(key) || attributes.size >= maxAttributes) throw malformed()
      count()
      attributes.set(key, decoded(takeValue(), count))
    }
    const [, slash] = take(tagEnd) ?? failMalformed()
    const outer = frames.at(-1)?.namespaces ?? defaultNamespaces
    const namespaces = namespacesOf(outer, attributes)
    if (namespaces !== outer && ++declared > maxNamespaces) throw malformed()
    const [prefix, local] = split(name!)
    const namespace = namespaces.get(prefix)
    if (namespace === undefined) throw malformed()
    if (kind === 'svg') {
      if (frames.length === 0 && (local !== 'svg' || namespace !== svg)) throw malformed()
      checkElement(local, namespace)
      for (const [key, value] of attributes) checkAttribute(local, key, value, namespaces)
    } else if (runs.test(namespace)) throw new UnsafeMarkup(message('unsafe.element', { name: local.slice(0, 50) }))
    const frame = { name: name!, local, namespaces, isStyle: local === 'style' }
    return { frame, attributes, isClosed: slash === '/' }
  }

  /** `="value"`, with single or double quotes */
  function takeValue(): string {
    skipBlanks()
    if (text[at++] !== '=') throw malformed()
    skipBlanks()
    const quote = text[at]
    if (quote !== '"' && quote !== "'") throw malformed()
    const end = until(quote, at + 1)
    const value = text.slice(at + 1, end)
    if (value.includes('<')) throw malformed()
    at = end + 1
    return value
  }
}

/** Where to stop decoding a text for now, but not within an entity. */
function endOfPortion(text: string, start: number, end: number): number {
  if (end - start <= portionLength) return end
  const tail = start + portionLength - longestEntity
  const ampersand = text.slice(tail, start + portionLength).lastIndexOf('&')
  return ampersand < 0 ? start + portionLength : tail + ampersand
}

const malformed = () => new UnsafeMarkup(message('unsafe.form'))

function failMalformed(): never {
  throw malformed()
}

// ---- names

const defaultNamespaces: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['xml', xml],
])

function namespacesOf(outer: ReadonlyMap<string, string>, attributes: ReadonlyMap<string, string>) {
  let own: Map<string, string> | undefined
  for (const [key, value] of attributes) {
    if (key !== 'xmlns' && !key.startsWith('xmlns:')) continue
    const [prefix, namespace] = [key.slice(6), value.trim()]
    if (namespace.length > maxNamespaceLength) throw malformed()
    if (outer.get(prefix) === namespace) continue
    own ??= new Map(outer)
    own.set(prefix, namespace)
    if (own.size > maxNamespaces) throw malformed()
  }
  return own ?? outer
}

/** `xlink:href` → `xlink`, `href` */
function split(name: string): [prefix: string, local: string] {
  const colon = name.indexOf(':')
  return colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)]
}

// ---- allowed content

function checkElement(local: string, namespace: string): void {
  const isSvg = namespace === svg || namespace === ''
  if (isSvg ? elements.has(local) : !isActive(namespace)) return
  if (/^(?:script|handler|listener)$/i.test(local)) throw new UnsafeMarkup(message('unsafe.script'))
  throw new UnsafeMarkup(message('unsafe.element', { name: local.slice(0, 50) }))
}

function checkAttribute(element: string, key: string, value: string, namespaces: ReadonlyMap<string, string>): void {
  if (key === 'xmlns' || key.startsWith('xmlns:')) return
  const [prefix, name] = split(key)
  const namespace = prefix === '' ? '' : namespaces.get(prefix)
  if (namespace === undefined) throw malformed()
  const local = name.toLowerCase()
  if (local.startsWith('on')) throw new UnsafeMarkup(message('unsafe.handler'))
  const hasScheme = value.includes(':')
  if (hasScheme && isScript.test(visibleStart(value))) throw new UnsafeMarkup(message('unsafe.script'))
  if (namespace !== '' && namespace !== svg && namespace !== xlink && namespace !== xml) return // metadata
  if (local === 'attributename' && /^(?:on|(?:\w+:)?href$|style$|src$)/i.test(value.trim()))
    throw new UnsafeMarkup(message('unsafe.handler'))
  if (local === 'base' || local === 'src') throw new UnsafeMarkup(message('unsafe.reference'))
  if (local === 'href') referenceMustBeLocal(element, value)
  if (hasScheme && isAnimated.has(local) && (value.length > maxAnimationLength || hasScript.test(value)))
    throw new UnsafeMarkup(message('unsafe.script'))
  if ((local === 'style' || value.includes('(') || value.includes('\\')) && suspiciousStyle.test(value)) {
    if (value.length > maxStyleLength) throw malformed()
    runToEnd(styleMustBeHarmless(value))
  }
}

const isAnimated = new Set(['from', 'to', 'by', 'values'])

/** Browsers ignore whitespace and control characters in URLs. */
const ignored = String.raw`[\p{C}\p{Z}]*`
const spaced = (...words: string[]) => words.map(word => word.split('').join(ignored)).join('|')
const hasScript = new RegExp(spaced('javascript:', 'vbscript:'), 'iu')
const isScript = /^(?:javascript:|vbscript:|data:text)/i

/** At least as many of the first characters that browsers do not ignore as `isScript` needs. */
function visibleStart(value: string): string {
  let start = ''
  for (let at = 0; at < value.length && start.length < 'javascript:'.length; at += portionLength)
    start += value.slice(at, at + portionLength).replaceAll(/[\p{C}\p{Z}]/gu, '')
  return start
}

const imageStart = /^data:image\/(?:png|jpe?g|gif|webp|avif);base64,/i

function isImage(target: string): boolean {
  const [start] = imageStart.exec(target) ?? []
  return start !== undefined && !/[^a-z0-9+/=\s]/i.test(target.slice(start.length))
}

function referenceMustBeLocal(element: string, value: string): void {
  const target = value.trim()
  if (target === '' || target.startsWith('#')) return
  if ((element === 'image' || element === 'feImage') && isImage(target)) return
  throw new UnsafeMarkup(message('unsafe.reference'))
}

/** CSS escapes can hide keywords, so any backslash is refused. */
const forbidden = ['\\', '@import', '-moz-binding', 'image-set', 'javascript:', 'vbscript:']
/** Where none of these occurs, nothing is refused. */
const suspiciousStyle = /[\\@:]|expression|-moz-binding|image|url|src/i

/** Refuses what runs scripts, and external references in style sheets and in values such as `url(#shade)`. */
function* styleMustBeHarmless(style: string): Steps<void> {
  const plain = style.toLowerCase()
  for (const word of forbidden) {
    yield
    if (plain.includes(word)) throw new UnsafeMarkup(message('unsafe.style'))
  }
  yield
  if (/expression\s*\(|behavior\s*:/.test(plain)) throw new UnsafeMarkup(message('unsafe.style'))
  yield
  let addresses = 0
  let checked = 0
  for (const { 1: target, index } of style.matchAll(/(?:url|src|image)\s*\(\s*["']?\s*([^"')]*)/gi)) {
    if (++addresses > maxAddresses) throw malformed()
    if (index - checked > portionLength) {
      checked = index
      yield
    }
    if (!target!.startsWith('#') && !isImage(target!.trim())) throw new UnsafeMarkup(message('unsafe.reference'))
  }
}

// ---- entities

const xmlEntities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const longestEntity = '&#1234567;'.length + 2

function decoded(text: string, count: () => void): string {
  if (!text.includes('&')) return text
  let entities = 0
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6});|#(\d{1,7});|(\w{1,10});)?/gi,
    (_, hex?: string, decimal?: string, name?: string) => {
      count()
      if (++entities > maxEntities) throw malformed()
      if (name !== undefined && Object.hasOwn(xmlEntities, name)) return xmlEntities[name]!
      if (name !== undefined) throw new UnsafeMarkup(message('unsafe.entity'))
      const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16)
      if (!(code <= 0x10_ff_ff) || (code < 0x20 && ![9, 10, 13].includes(code)) || (code >= 0xd8_00 && code <= 0xdf_ff))
        throw malformed()
      return String.fromCodePoint(code)
    },
  )
}
