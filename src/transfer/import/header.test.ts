import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createImage } from '../../../test/files.ts'
import { readHeader } from './header.ts'

const base = { width: 40, height: 30 }

test.each(['png', 'jpeg', 'webp'] as const)('the size of a %s is read from its header', async format => {
  const bytes = await createImage(format, base)
  expect(readHeader(bytes)).toEqual({ mime: `image/${format}`, ...base })
  expect(readHeader(bytes.subarray(0, 25))).toBeUndefined()
})

test('a rotated image has its displayed size', async () => {
  const lying = sharp(await createImage('png', base))
  const jpeg = (orientation: number) => lying.clone().withMetadata({ orientation }).jpeg().toBuffer()
  expect(readHeader(await jpeg(6))).toEqual({ mime: 'image/jpeg', width: 30, height: 40 })
  expect(readHeader(await jpeg(3))).toEqual({ mime: 'image/jpeg', ...base })
})

test('unusual files are left to the image library', async () => {
  const png = await createImage('png', base)
  const broken = Buffer.from(png)
  broken[19] = 99 // the width without its checksum
  const lossless = await sharp(png).webp({ lossless: true }).toBuffer()
  expect(readHeader(lossless)).toEqual({ mime: 'image/webp', ...base })
  const moving = await sharp(png).withMetadata({ orientation: 6 }).webp().toBuffer()
  for (const bytes of [broken, moving, await createImage('gif'), Buffer.from('<html>'), Buffer.alloc(0)])
    expect(readHeader(bytes)).toBeUndefined()
})
