import { expect, test } from 'vitest'
import { readFocus } from './resize.ts'
import { avatarSize, isResizable, nearestOfPanel, readThumbName, thumbName, thumbWidths } from './thumbs.ts'

const sizes = ['128x', '640x', '640x500-crop']

test.each([
  ['gears.png', { width: 128 }, 'gears-128x.png'],
  ['tide.machine.JPEG', { width: 1024 }, 'tide.machine-1024x.jpg'],
  ['profile.png', avatarSize, 'profile-512x-crop.png'],
  ['a.webp', { width: 38, height: 38, crop: true }, 'a-38x38-crop.webp'],
  ['a.webp', { width: 352, height: 235, crop: true }, 'a-352x235-crop.webp'],
  // not offered: the nearest that is
  ['a.webp', { width: 352, height: 230, crop: true }, 'a-352x235-crop.webp'],
  ['a.webp', { width: 38, height: 9999, crop: true }, 'a-38x76-crop.webp'],
])('the thumbnail of %s with %j is named %s', (filename, size, name) => {
  expect(thumbName(filename, nearestOfPanel(size))).toBe(name)
  expect(readThumbName(name, sizes)).toMatchObject({ size: { width: size.width } })
})

test('a thumbnail name identifies its image', () => {
  expect(readThumbName('gears-128x.png', sizes)).toEqual({
    filenames: ['gears.png'],
    size: { width: 128 },
    isConfigured: true,
  })
  expect(readThumbName('gears-640x500-crop.png', sizes)).toMatchObject({
    size: { width: 640, height: 500, crop: true },
  })
  expect(readThumbName('gears-256x.png', sizes)).toMatchObject({ isConfigured: false })
  expect(readThumbName('gears-128x.jpg', sizes)!.filenames).toEqual(['gears.jpg', 'gears.jpeg'])
  expect(readThumbName('gears-38x-76x.gif', sizes)!.filenames).toEqual(['gears-38x.gif'])
  expect(readThumbName('profile-512x-crop.png', sizes)!.size).toEqual({ width: 512, crop: true })
  for (const width of Object.values(thumbWidths)) expect(readThumbName(`a-${width}x.png`, sizes)).toBeDefined()
})

test.each([
  'gears.png', 'gears-127x.png', 'gears-128x128.png', 'gears-x128.png', 'gears-128x-crop.png', 'gears-0128x.png', '-128x.png',
  'gears-128x.svg', 'gears-128x.pdf', 'gears-128x', 'gears-352x234-crop.png', 'gears-128x.png.exe', 'gears-99999x.png',
  'gears-128x0.png', 'gears-1e2x.png', 'gears-128x-crop-crop.png', 'gears-128x.', '',
])('%j is not the name of a thumbnail', name => {
  expect(readThumbName(name, sizes)).toBeUndefined()
}) // prettier-ignore

test('only a limited number of sizes is offered', () => {
  let count = 0
  for (let width = 1; width < 1500; width++) {
    for (const rest of ['', '-crop']) if (readThumbName(`a-${width}x${rest}.png`, sizes)) count++
    if (!readThumbName(`a-${width}x${width}-crop.png`, sizes)) continue
    for (let height = 1; height < 3000; height++) if (readThumbName(`a-${width}x${height}-crop.png`, sizes)) count++
  }
  expect(count).toBeLessThan(100)
})

test.each([
  ['50% 30%', { x: 0.5, y: 0.3 }],
  [' 12.6%, 100% ', { x: 0.13, y: 1 }],
  ['999% 0%', { x: 1, y: 0 }],
  [undefined, { x: 0.5, y: 0.5 }],
  ['center', { x: 0.5, y: 0.5 }],
  ['-5% 10%', { x: 0.5, y: 0.5 }],
  ['../../x', { x: 0.5, y: 0.5 }],
])('the focus %j is parsed as %j', (text, focus) => {
  expect(readFocus(text)).toEqual(focus)
})

test('vector graphics and documents are not resized', () => {
  expect(['svg', 'pdf', 'avif', 'tiff', 'PNG', 'jpeg'].filter(isResizable)).toEqual(['PNG', 'jpeg'])
})
