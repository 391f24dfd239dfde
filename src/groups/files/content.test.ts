import { randomBytes } from 'node:crypto'
import { gzipSync, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { createSignedInUser } from '../../../test/signed-in-user.ts'
import { svg, createImage, statusAndKeyOf, createUploader, dataOf } from '../../../test/files.ts'

const storage = await createTestStorage()
const any = 'accept: { mime: "*" }'
writeBlueprints(storage.data, {
  'files/any.yml': any,
  'files/blocks/image.yml':
    'title: Image of a block\naccept: { mime: "image/jpeg, image/png", maxSize: 2000, minWidth: 20 }',
  'users/default.yml': 'fields: { bio: { type: text } }',
  'files/icon.yml': `accept: { extension: "png, svg", maxwidth: 50, minheight: 10, orientation: square }
create: { width: 24, height: 24, crop: true, format: webp, quality: 60 }`,
  'files/wide.yml': 'accept: { type: image, minwidth: 40, maxheight: 20, orientation: landscape }',
  'files/small.yml': 'accept: { mime: "image/*", maxsize: 200, minsize: 10 }',
  'files/writing.yml': 'accept: { mime: "text/markdown, application/pdf" }',
  'files/tall.yml': 'accept: { maxwidth: 10 }\ncreate: { height: 5 }',
  'files/none.yml': 'accept: { extension: [] }',
})
const site = await createTestApp({ storage, settings: { files: { maxPixels: 1_000_000, maxSize: 6_000_000 } } })
const admin = await createSignedInUser(site)
const sender = await createUploader(admin)

let count = 0
/** `{}` is the number of this file. */
const upload = (name: string, bytes: Buffer | string, template = '') =>
  sender.send('account/files', [{ filename: name.replace('{}', String(++count)), bytes }], { template })
const refused = async (...args: Parameters<typeof upload>) => statusAndKeyOf(await upload(...args))

const png = await createImage('png')
const jpeg = await createImage('jpeg')
const avif = await createImage('avif')
/** The same image with other brands. */
function avifOf(major: string, compatible: string[]): Buffer {
  const box = Buffer.from(`\0\0\0\0ftyp${major}\0\0\0\0${compatible.join('')}`, 'latin1')
  const rest = avif.readUInt32BE(0)
  const filled = Buffer.concat([box, Buffer.alloc(rest - box.length, 'mif1')]) // offsets stay right
  filled.writeUInt32BE(rest)
  return Buffer.concat([filled, avif.subarray(rest)])
}
const html = '<!doctype html><script>alert(1)</script>'
const php = '<?php system($_GET["x"]); ?>'
const zip = Buffer.from('504b0304140000000000000021000000000000000000000000000500000061', 'hex')
const pdf = '%PDF-1.7\n1 0 obj <<>> endobj\n'

// ---- what files are

const good: [string, Buffer | string, string, string | null][] = [
  ['a{}.png', png, 'image/png', 'image'],
  ['a{}.jpg', jpeg, 'image/jpeg', 'image'],
  ['a{}.jpeg', jpeg, 'image/jpeg', 'image'],
  ['a{}.webp', await createImage('webp'), 'image/webp', 'image'],
  ['a{}.gif', await createImage('gif'), 'image/gif', 'image'],
  ['a{}.avif', await createImage('avif'), 'image/avif', 'image'],
  ['a{}.tif', await createImage('tiff'), 'image/tiff', 'image'],
  ['a{}.avif', avifOf('mif1', ['avif', 'miaf']), 'image/avif', 'image'],
  ['a{}.avif', avifOf('avis', ['avif', 'avis']), 'image/avif', 'image'],
  // Renamed, but not converted.
  ['a{}.png', jpeg, 'image/jpeg', 'image'],
  ['a{}.jpg', png, 'image/png', 'image'],
  ['a{}.jpg', await createImage('webp'), 'image/webp', 'image'],
  ['a{}.svg', svg(), 'image/svg+xml', 'image'],
  ['a{}.pdf', pdf, 'application/pdf', 'document'],
  ['a{}.zip', zip, 'application/zip', 'archive'],
  ['a{}.docx', zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document'],
  ['a{}.gz', gzipSync('x'), 'application/gzip', 'archive'],
  ['a{}.csv', 'a;b\n1;2\n', 'text/csv', 'document'],
  ['a{}.csv', Buffer.from('gr\xfc\xdfe;1\n', 'latin1'), 'text/csv', 'document'],
  ['a{}.md', '# Title\n\n```\n<?php\n```\n', 'text/plain', 'document'],
  ['a{}.md', '', 'text/plain', 'document'],
  [
    'a{}.mp3',
    Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x7f\x7f', 'latin1'), Buffer.alloc(5000)]),
    'audio/mpeg',
    'audio',
  ],
  ['a{}.mp4', Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), 'video/mp4', 'video'],
]

test.each(good)('%s is detected by its bytes', async (name, bytes, mime, type) => {
  const file = dataOf<{ dimensions: object | null }>(await upload(name, bytes))
  expect(file).toMatchObject({ mime, type })
  if (mime === 'image/avif') expect(file.dimensions).toMatchObject({ width: 30, height: 30 })
})

test('a name without an extension gets the one of its type', async () => {
  expect(dataOf(await upload('scan{}', jpeg))).toMatchObject({ extension: 'jpg' })
  expect(dataOf(await upload('scan{}.tmp', png))).toMatchObject({ extension: 'png' })
  expect(await refused('scan{}', Buffer.alloc(50, 0xc8))).toBe('400 error.file.extension.missing')
})

test.each([
  ['a{}.jpg', 'text', '400 error.file.content.mismatch'],
  ['a{}.jpg', '', '400 error.file.content.mismatch'],
  ['a{}.jpg', html, '400 error.file.mime.forbidden'],
  ['a{}.svg', html, '400 error.file.mime.forbidden'],
  ['a{}.jpg', php, '400 error.file.mime.forbidden'],
  ['a{}.md', html, '400 error.file.mime.forbidden'],
  ['a{}.csv', ` \n${php}`, '400 error.file.mime.forbidden'],
  ['a{}.md', `<!-- x -->${html}`, '400 error.file.mime.forbidden'],
  ['a{}.md', png, '400 error.file.content.mismatch'],
  ['a{}.csv', Buffer.from('a\0b'), '400 error.file.content.mismatch'],
  ['a{}.pdf', zip, '400 error.file.content.mismatch'],
  ['a{}.png', Buffer.from('MZ\x90\0', 'latin1'), '400 error.file.content.mismatch'],
  ['a{}.html', html, '400 error.file.extension.forbidden'],
  ['a{}.xhtml', html, '400 error.file.extension.forbidden'],
  ['a{}.php', php, '400 error.file.extension.forbidden'],
  ['a{}.php8', png, '400 error.file.extension.forbidden'],
  ['a{}.phtml', png, '400 error.file.extension.forbidden'],
  ['a{}.phar', png, '400 error.file.extension.forbidden'],
  ['a{}.exe', png, '400 error.file.extension.forbidden'],
  ['a{}.txt', 'text', '400 error.file.extension.forbidden'],
  ['.htaccess', 'x', '400 error.file.name.missing'],
  ['.png', png, '400 error.file.name.missing'],
  ['???.png', png, '400 error.file.name.missing'],
  ['a{}.json', '{}', '400 error.file.type.invalid'],
  ['a{}.js', 'alert(1)', '400 error.file.type.invalid'],
  ['a{}.xyz', 'x', '400 error.file.type.invalid'],
  ['a{}.svg', svg('<script>alert(1)</script>'), '400 error.file.content.unsafe'],
  ['a{}.svg', Buffer.from(`\ufeff${svg()}`, 'utf16le'), '400 error.file.content.mismatch'],
  ['a{}.svg', svg(`<text>${'x'.repeat(5_300_000)}</text>`), '413 error.file.maxsize'],
])('%s with other bytes is refused: %#', async (name, bytes, refusal) => {
  expect(await refused(name, bytes)).toBe(refusal)
})

test('only plain text is typed by its name', async () => {
  expect(dataOf(await upload('a{}.md', '# Title', 'writing'))).toMatchObject({ mime: 'text/plain' })
  expect(await refused('a{}.csv', 'a,b', 'writing')).toBe('400 error.file.mime.invalid')
  expect(await refused('a{}.ai', '%!PS-Adobe-3.0\n', 'writing')).toBe('400 error.file.mime.invalid')
})

test('if everything is accepted, harmful files are still refused', async () => {
  expect(dataOf(await upload('a{}.xyz', 'x', 'any'))).toMatchObject({ mime: 'text/plain', type: null })
  expect(dataOf(await upload('a{}.js', 'alert(1)', 'any'))).toMatchObject({ mime: 'text/javascript', type: 'code' })
  expect(dataOf(await upload('a{}.xml', '<?xml version="1.0"?><a/>', 'any'))).toMatchObject({ mime: 'application/xml' })
  expect(await refused('a{}.html', html, 'any')).toBe('400 error.file.extension.forbidden')
  expect(await refused('a{}.xyz', html, 'any')).toBe('400 error.file.mime.forbidden')
  expect(await refused('a{}.xyz', Buffer.concat([Buffer.from('MZ'), randomBytes(100)]), 'any')).toBe(
    '400 error.file.mime.forbidden',
  )
  expect(
    await refused('a{}.xml', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "/etc/passwd">]><a>&x;</a>', 'any'),
  ).toBe('400 error.file.content.unsafe')
  expect(await refused('a{}.xyz', svg('<script/>'), 'any')).toBe('400 error.file.content.unsafe')
})

test('an image that contains a program is served as an image', async () => {
  const both = Buffer.concat([jpeg, Buffer.from(`${php}${html}`)])
  expect(dataOf(await upload('both{}.jpg', both))).toMatchObject({ mime: 'image/jpeg' })
  const gif = Buffer.from(`GIF89a/*${php}*/=1;`)
  expect(await refused('both{}.gif', gif)).toBe('400 error.file.image.invalid')
})

const { crc32 } = process.getBuiltinModule('node:zlib')

function pngPart(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  crc.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, crc])
}

/** An image that says it is much larger than it is. */
function pngOf(width: number, height: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 0], 8)
  const parts = [
    pngPart('IHDR', head),
    pngPart('IDAT', deflateSync(Buffer.alloc(10_000))),
    pngPart('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts])
}

test('an image with too many pixels is refused before it is decoded', async () => {
  const before = process.memoryUsage().rss
  expect(await refused('bomb{}.png', pngOf(60_000, 60_000))).toBe('400 error.file.image.tooLarge')
  expect(await refused('bomb{}.png', pngOf(1001, 1000))).toBe('400 error.file.image.tooLarge')
  expect(await refused('cut{}.png', png.subarray(0, 20))).toMatch(/400 error.file.(image.invalid|content.mismatch)/)
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
})

// ---- what a blueprint says

test('size, type and dimensions are checked by the blueprint', async () => {
  const wide = await createImage('png', { width: 60, height: 15 })
  expect(dataOf(await upload('w{}.png', wide, 'wide'))).toMatchObject({ dimensions: { orientation: 'landscape' } })
  expect(await refused('w{}.png', png, 'wide')).toBe('400 error.file.minwidth')
  expect(await refused('w{}.png', await createImage('png', { width: 60, height: 30 }), 'wide')).toBe(
    '400 error.file.maxheight',
  )
  expect(await refused('w{}.svg', svg('', 'width="60" height="15"'), 'wide')).toBe('200 undefined')
  expect(await refused('w{}.pdf', pdf, 'wide')).toBe('400 error.file.type.invalid')
  expect(await refused('s{}.pdf', pdf, 'small')).toBe('400 error.file.mime.invalid')
  expect(await refused('s{}.jpg', await createImage('jpeg', { width: 300 }), 'small')).toBe('413 error.file.maxsize')
  expect(await refused('i{}.jpg', jpeg, 'icon')).toBe('400 error.file.extension.invalid')
  expect(await refused('i{}.png', await createImage('png', { width: 51 }), 'icon')).toBe('400 error.file.maxwidth')
  expect(await refused('i{}.png', await createImage('png', { height: 9 }), 'icon')).toBe('400 error.file.minheight')
  expect(await refused('i{}.png', await createImage('png', { height: 29 }), 'icon')).toBe('400 error.file.orientation')
  expect(await refused('n{}.png', png, 'none')).toBe('400 error.file.extension.invalid')
})

test('images are processed on upload as the blueprint says', async () => {
  const file = dataOf<{ options: object }>(await upload('icon{}.png', png, 'icon'))
  expect(file).toMatchObject({
    extension: 'webp',
    mime: 'image/webp',
    dimensions: { width: 24, height: 24 },
    options: { replace: false },
  })
  expect(dataOf(await upload('icon{}.svg', svg('', 'width="20" height="20"'), 'icon'))).toMatchObject({
    extension: 'svg',
  })
  const tall = await createImage('jpeg', { width: 10, height: 20 })
  expect(dataOf(await upload('tall{}.jpg', tall, 'tall'))).toMatchObject({ dimensions: { width: 3, height: 5 } })
})

// ---- SVG as programs write it

const written = (prolog: string, root = '<svg viewBox="0 0 40 20"><use xlink:href="#a"/><path d="M0 0"/></svg>') =>
  prolog + root

test.each([
  ['without namespaces', written('')],
  ['with a document type', written('<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n')],
  ['with a comment before it', written('<?xml version="1.0" encoding="utf-8"?><!-- Generator: Drawing 1.0 --><!DOCTYPE svg>')],
  ['with a comment that is longer than the beginning', written(`<?xml version="1.0"?><!-- ${'x'.repeat(5000)} -->`)],
  [
    'with entities for namespaces',
    written(
      '<!DOCTYPE svg [ <!ENTITY ns_svg "http://www.w3.org/2000/svg"> <!ENTITY ns_x "http://ns.example.org/x/"> ]>',
      '<svg xmlns="&ns_svg;" xmlns:x="&ns_x;" viewBox="0 0 40 20"><x:note/><path d="M0 0"/></svg>',
    ),
  ],
  ['with instructions of a program', written('<?xml version="1.0"?>', '<svg viewBox="0 0 40 20"><metadata><?xpacket begin="x" id="y"?><?xpacket end="w"?></metadata><path d="M0 0"/></svg>')],
  ['in an old encoding', Buffer.from(written('<?xml version="1.0" encoding="ISO-8859-1"?>', '<svg viewBox="0 0 40 20"><title>Gr\xfc\xdfe</title><path d="M0 0"/></svg>'), 'latin1')],
])('an SVG %s is cleaned and accepted', async (_, bytes) => {
  const name = `drawn-${randomBytes(4).toString('hex')}.svg`
  const sent = async () => dataOf<{ url: string; uuid: string }>(await sender.send('account/files', [{ filename: name, bytes }]))
  const { url, uuid } = await sent()
  const { body, headers } = await admin.browser.send({ url: new URL(url).pathname })
  expect(headers['content-type']).toBe('image/svg+xml')
  expect(body).toContain('xmlns="http://www.w3.org/2000/svg"')
  expect(body).not.toMatch(/<!DOCTYPE|ENTITY|&ns_|xpacket|ISO-8859/)
  expect(body).toContain('<path d="M0 0"/>')
  if (body.includes('<title>')) expect(body).toContain('<title>Gr\u00fc\u00dfe</title>')
  expect((await sent()).uuid, 'uploading it again gives the same file').toBe(uuid)
}) // prettier-ignore

test.each([
  ['a document type that brings something in', '<!DOCTYPE svg [ <!ENTITY x SYSTEM "file:///etc/passwd"> ]>', '<svg><text>&x;</text></svg>'],
  ['entities in entities', '<!DOCTYPE svg [ <!ENTITY a "aaaa"> <!ENTITY b "&a;&a;"> ]>', '<svg><text>&b;</text></svg>'],
  ['a script in an entity', '<!DOCTYPE svg [ <!ENTITY a \'" onload="alert(1)\'> ]>', '<svg id="&a;"/>'],
  ['entities that grow', `<!DOCTYPE svg [ <!ENTITY a "${'a'.repeat(1000)}"> ]>`, `<svg><text>${'&a;'.repeat(2000)}</text></svg>`],
  ['a style sheet of another place', '<?xml-stylesheet href="//example.org/a.css"?>', '<svg/>'],
])('an SVG with %s is refused', async (_, prolog, root) => {
  expect(await refused('a{}.svg', `<?xml version="1.0"?>${prolog}${root}`)).toBe('400 error.file.content.unsafe')
}) // prettier-ignore

test('frames are not counted as pixels; a large image has too many pixels in one frame', async () => {
  const frames = 6
  const [width, height] = [500, 500]
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const
  const levels = Buffer.concat(Array.from({ length: frames }, (_, at) => Buffer.alloc(width * height * 3, at * 6)))
  const gif = await sharp(levels, { raw }).gif({ effort: 1 }).toBuffer()
  const file = dataOf<{ dimensions: object; thumbs: Record<string, string> }>(
    await sender.send('account/files', [{ filename: 'moving.gif', bytes: gif }]),
  )
  expect(file.dimensions).toMatchObject({ width, height })
  const tall = await createImage('gif', { width: 1000, height: 1001 })
  const refusal = await sender.send('account/files', [{ filename: 'tall.gif', bytes: tall }])
  expect(statusAndKeyOf(refusal)).toBe('400 error.file.image.tooLarge')
})

test('a template in a subfolder works like any other', async () => {
  expect(dataOf(await upload('a{}.png', png, 'blocks/image'))).toMatchObject({ template: 'blocks/image' })
  expect(await refused('a{}.gif', await createImage('gif'), 'blocks/image')).toBe('400 error.file.mime.invalid')
  expect(await refused('a{}.png', await createImage('png', { width: 10 }), 'blocks/image')).toBe(
    '400 error.file.minwidth',
  )
  expect(await refused('a{}.png', randomNoise(), 'blocks/image')).toBe('413 error.file.maxsize')
  const { data } = (await sender.call('GET', 'account/files?limit=1')).json<{ data: unknown[] }>()
  expect(data).toHaveLength(1)
})

const randomNoise = () => Buffer.concat([png, randomBytes(3000)])

test('accounts whose role has no file use users/default.yml', async () => {
  const saved = await sender.call('PATCH', 'account', { bio: 'Winds the clock' })
  expect(statusAndKeyOf(saved)).toBe('200 undefined')
  const read = await sender.call('GET', 'account?select=content,blueprint')
  expect(dataOf(read)).toMatchObject({ content: { bio: 'Winds the clock' }, blueprint: { name: 'users/admin' } })
})
