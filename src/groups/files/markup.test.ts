import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuTime, longestBlock } from '../../../test/cpu-time.ts'
import { svg } from '../../../test/files.ts'
import { cleanSvg } from './clean-svg.ts'
import { checkMarkup, UnsafeMarkup } from './markup.ts'
import { rounds, quarter } from '../../../test/slow.ts'

const problem = async (text: string, kind: 'svg' | 'xml' = 'svg', isCleaned = false) => {
  try {
    await checkMarkup(kind === 'svg' && isCleaned ? await cleanSvg(text) : text, kind)
    return undefined
  } catch (error) {
    if (error instanceof UnsafeMarkup) return error.reason.key
    throw error
  }
}

test.each([
  svg(),
  `\ufeff<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- made by hand -->\n${svg()}\n`,
  svg('<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs><rect fill="url(#a)"/>'),
  svg('<style>.a { fill: url(#b); color: red } .b > .c { x: 1 }</style><use xlink:href="#x" href="#x"/>'),
  svg('<style><![CDATA[ .a { fill: red } ]]></style>'),
  svg('<image href="data:image/png;base64,iVBORw0KGgo="/>'),
  svg('<text>5 &lt; 6 &amp; &#x263A; &#9786;</text>'),
  svg(
    '<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><a:b xmlns:a="urn:x"/></rdf:RDF></metadata>',
  ),
  svg('<sodipodi:namedview inkscape:zoom="1" inkscape:path="C:\\x"/>', 'xmlns:sodipodi="urn:s" xmlns:inkscape="urn:i"'),
  '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:g/></s:svg>',
  svg('<animate attributeName="opacity" values="0;1"/>'),
])('a harmless SVG is accepted: %s', async text => {
  expect(await problem(text)).toBeUndefined()
})

test.each([
  // scripts
  ['unsafe.script', svg('<script>alert(1)</script>')],
  ['unsafe.script', svg('<script href="#x"/>')],
  ['unsafe.script', svg('<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>')],
  ['unsafe.script', svg('<a href="javascript:alert(1)"/>')],
  ['unsafe.script', svg('<a href=" java&#10;script:alert(1)"/>')],
  ['unsafe.script', svg('<a xlink:href="&#106;avascript:alert(1)"/>')],
  ['unsafe.script', svg('<a><animate attributeName="x" values="1;javascript:alert(1)"/></a>')],
  // event handlers
  ['unsafe.handler', svg('', 'onload="alert(1)"')],
  ['unsafe.handler', svg('<g ONCLICK="x"/>')],
  ['unsafe.handler', svg('<g a:onclick="x" xmlns:a="urn:x"/>')],
  ['unsafe.handler', svg('<set attributeName="onclick" to="x"/>')],
  ['unsafe.handler', svg('<set attributeName="xlink:href" to="x"/>')],
  // other elements
  ['unsafe.element', svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>')],
  ['unsafe.element', svg('<iframe xmlns="http://www.w3.org/1999/xhtml" src="x"/>')],
  ['unsafe.element', svg('<h:img xmlns:h="http://www.w3.org/1999/xhtml"/>')],
  ['unsafe.element', svg('<SCRIPT2/>')],
  ['unsafe.element', svg('<x:stylesheet xmlns:x="http://www.w3.org/1999/XSL/Transform"/>')],
  // references
  ['unsafe.reference', svg('<image href="https://evil.example/x.png"/>')],
  ['unsafe.reference', svg('<image xlink:href="//evil.example/x.png"/>')],
  ['unsafe.reference', svg('<use href="other.svg#x"/>')],
  ['unsafe.reference', svg('<image href="data:image/svg+xml;base64,PHN2Zz4="/>')],
  ['unsafe.reference', svg('<use href="data:image/png;base64,aaaa"/>')],
  ['unsafe.script', svg('<a href="data:text/html,&lt;script>"/>')],
  ['unsafe.reference', svg('<g xml:base="https://evil.example/"/>')],
  ['unsafe.reference', svg('<rect fill="url(https://evil.example/x)"/>')],
  ['unsafe.reference', svg('<rect style="fill: url( \'//evil.example/x\' )"/>')],
  ['unsafe.reference', svg('<style>a { background: URL(x.png) }</style>')],
  ['unsafe.style', svg('<style>@import "x.css";</style>')],
  ['unsafe.style', svg('<style>@im<!-- -->port "x.css";</style>')],
  ['unsafe.style', svg('<style>a { background: \\75rl(x) }</style>')],
  ['unsafe.style', svg('<rect fill="\\75 rl(x)"/>')],
  ['unsafe.style', svg('<style>a { background: image-set("x.png" 1x) }</style>')],
  // documents within documents
  ['unsafe.doctype', `<!DOCTYPE svg>${svg()}`],
  ['unsafe.doctype', `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('<text>&x;</text>')}`],
  ['unsafe.doctype', `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]>${svg('&lol2;')}`],
  ['unsafe.entity', svg('<text>&x;</text>')],
  ['unsafe.instruction', `<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?>${svg()}`],
  ['unsafe.instruction', svg('<?php echo 1 ?>')],
  // not well-formed
  ['unsafe.form', ''],
  ['unsafe.form', 'text'],
  ['unsafe.form', svg('<g>')],
  ['unsafe.form', svg('</g>')],
  ['unsafe.form', svg('<g a=1/>')],
  ['unsafe.form', svg('<g a="1" a="2"/>')],
  ['unsafe.form', svg('<g a="<"/>')],
  ['unsafe.form', svg('<a:g/>')],
  ['unsafe.form', svg('<!-- never closed')],
  ['unsafe.form', svg('& <g/>')],
  ['unsafe.form', svg('&#0;')],
  ['unsafe.form', `${svg()}${svg()}`],
  ['unsafe.form', svg('<g>'.repeat(300) + '</g>'.repeat(300))],
  ['unsafe.form', '<svg><circle/></svg>'],
  ['unsafe.form', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
  ['unsafe.form', `<?xml version="1.0" encoding="UTF-7"?>${svg()}`],
])('%s: %s', async (key, text) => {
  expect(await problem(text)).toBe(key)
})

test('other XML may contain anything that no browser runs', async () => {
  expect(await problem('<feed xmlns="http://www.w3.org/2005/Atom"/>', 'xml')).toBeUndefined()
  expect(await problem(svg(), 'xml')).toBe('unsafe.element')
  expect(await problem('<gpx xmlns="http://www.topografix.com/GPX/1/1"><trk onward="x"/></gpx>', 'xml')).toBeUndefined()
  expect(await problem('<a><s:script xmlns:s="http://www.w3.org/1999/xhtml"/></a>', 'xml')).toBe('unsafe.element')
  expect(await problem('<!DOCTYPE a><a/>', 'xml')).toBe('unsafe.doctype')
})

test('any input is read in little time, and no other error is thrown', async () => {
  const bits = ['<', '>', '"', '&', 'svg ', '/', '!--', '-->', '<![CDATA[', ']]>', '=', ' ', 'a', '<g a="', '\u0000', '<?xml', 'url(', '<style>'] // prettier-ignore
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...bits), { maxLength: 60 }), async parts => {
      await problem(svg(parts.join('')))
    }),
    { numRuns: rounds(50, 1000) },
  )
  const startedAt = cpuTime()
  for (const part of ['<g a="', '<!--', '<g ', '&amp;', '<style>', ' url(', '<g a="1"', 'javascript:'])
    await problem(svg(part.repeat(1_000_000 / part.length)))
  expect(cpuTime() - startedAt).toBeLessThan(5000)
})

const largest = 5 * 1024 * 1024
const level = (at: number) => `<g ${Array.from({ length: 50 }, (_, to) => `xmlns:n${at}-${to}="u"`).join(' ')}>`
const named = (count: number) => Array.from({ length: count }, (_, at) => `<g xmlns:n${at}="u"/>`).join('')
const filled = (part: string, size = largest) => part.repeat(Math.floor(size / part.length))

/** In ms of CPU time: 50 on a quiet core, and a busy one may take twice as long. */
const maxBlockMs = 100

test.each(
  quarter<readonly [name: string, inner: string, before?: string]>(
    [
      [
        'names for namespaces at every level',
        `${Array.from({ length: 150 }, (_, at) => level(at)).join('')}${'<g xmlns:z="u"/>'.repeat(1500)}`,
      ],
      ['one namespace, again and again', filled('<g xmlns:z="u"><g xmlns:z="v"/></g>')],
      ['a namespace without end', `<a:g xmlns:a="${'//'.repeat(500_000)}">${filled('<a:g/>', 4_000_000)}</a:g>`],
      ['elements', filled('<g/>')],
      ['attributes', filled(`<g${Array.from({ length: 499 }, (_, at) => ` a${at}="("`).join('')}/>`)],
      ['attributes of few elements', filled('<g xlink:href="#"/>')],
      ['comments', filled('<!---->')],
      ['texts', filled('<![CDATA[]]>')],
      ['texts within styles', `<style>${filled('<![CDATA[a]]>')}</style>`],
      ['entities', filled('&#65;')],
      ['addresses', `<style>${filled('url(#a) ')}</style>`],
      ['blanks', `<g${filled(' ')}/>`],
      ['blanks without an end', `<g a${filled(' ')}`],
      ['letters of a name', `<${filled('\u{10400}')}/>`],
      ['letters of the name of an attribute', `<g ${filled('\u{10400}')}/>`],
      ['blanks in an attribute', `<animate values="${filled('\u00a0')}"/>`],
      ['an image', `<image href="data:image/png;base64,${filled('AAAA')}"/>`],
      ['paths', filled('<path d="M1 2\n3 4" fill="url(#a)" transform="rotate(1)" style="fill:red"/>')],
      ['line breaks', `<animate values="${filled('\r\t')}"/>`],
      ['line breaks before the SVG', '', filled('\n')],
      ['blanks within a scheme', `<animate values=":j${filled('\u00a0', 2_000_000)}"/>`],
      ['letters of a scheme', `<animate values=":${filled('ja')}"/>`],
      [
        'prefixes at the deepest level',
        `${'<g>'.repeat(190)}${filled('<g xml:a=""/>', 3_000_000)}${'</g>'.repeat(190)}`,
      ],
      ['a style', `<style>${filled('.a { fill: red } ')}</style>`],
      ['a style with colons', `<g style="${filled('u:i(')}"/>`],
      ['images in a style', `<style>${filled(`url(data:image/png;base64,${'AAAA'.repeat(1000)})`)}</style>`],
      ['entities of the document', filled('&a;', 3_000_000), '<!DOCTYPE svg [<!ENTITY a "b">]>'],
      ['comments before the SVG', '', filled('<!---->')],
      ['comments that never end', '', filled('<!--')],
      ['instructions', filled('<?xpacket ?>')],
      ['unfinished instructions', filled('<?xpacket ')],
    ],
    ([name]) => name,
  ),
)('5 MB never block the event loop for long: %s', async (_, inner, before = '') => {
  const text = before + svg(inner)
  let blockMs = Infinity
  // The garbage collector may come in between: the best of some tries decides.
  for (let round = 0; round < 3 && blockMs > maxBlockMs; round++)
    blockMs = Math.min(blockMs, await longestBlock(() => problem(text, 'svg', true)))
  expect(blockMs).toBeLessThan(maxBlockMs)
})

test('an entity at the end of a portion is decoded, and long texts are checked completely', async () => {
  const long = 'x'.repeat(32_760)
  for (let at = 0; at < 12; at++)
    expect(await problem(svg(`<text>${long}${'x'.repeat(at)}&amp;&#x263A;</text>`))).toBeUndefined()
  expect(await problem(svg(`<text>${long}${long}&x;</text>`))).toBe('unsafe.entity')
  expect(await problem(svg(`<style>${long}${long}@import "a"</style>`))).toBe('unsafe.style')
})

test('an SVG may redeclare namespaces, but only a limited number', async () => {
  const again = '<g xmlns="http://www.w3.org/2000/svg"/>'.repeat(1000)
  expect(await problem(svg(again))).toBeUndefined()
  expect(await problem(svg(named(90)))).toBeUndefined()
  expect(await problem(svg(named(200)))).toBe('unsafe.form')
  expect(await problem(svg(`<g xmlns:a="${'u'.repeat(2000)}"/>`))).toBe('unsafe.form')
})
