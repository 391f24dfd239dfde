import { expect, test } from 'vitest'
import { fileImage, defaultPageImage, panelImage, userImage } from './panel-image.ts'

const thumb = ({ width, height = '', crop = false }: { width: number; height?: number | string; crop?: boolean }) =>
  `/t-${width}x${height}${crop ? '-crop' : ''}.png`
const source = { url: '/t.png', thumb }
const srcset = (settings: object, layout?: string) =>
  panelImage(defaultPageImage(undefined), [settings], { source, layout })?.['srcset']

test('an image has defaults of its kind, overridden by the list, then by the blueprint', () => {
  expect(
    panelImage(defaultPageImage('star'), [
      { back: 'blue', query: 'x' },
      { back: 'black', ratio: '3/2' },
    ]),
  ).toEqual({
    back: 'black',
    color: 'gray-500',
    cover: false,
    icon: 'star',
    ratio: '3/2',
  })
  expect(panelImage(defaultPageImage(undefined), [undefined, undefined])).toMatchObject({
    icon: 'page',
    back: 'pattern',
  })
  expect(panelImage(defaultPageImage(undefined), [undefined, false])).toBeNull()
  expect(panelImage(userImage, [])).toMatchObject({ back: 'black', icon: 'user', ratio: '1/1' })
})

function shown(type: string | null, extension: string) {
  const { color, icon } = fileImage({ type, extension })
  return [color, icon]
}

test('files have the colour and icon of their type', () => {
  expect(shown('image', 'png')).toEqual(['orange-500', 'image'])
  expect(shown('document', 'pdf')).toEqual(['red-500', 'document'])
  expect(shown('document', 'csv')).toEqual(['green-500', 'table'])
  expect(shown(null, 'constructor')).toEqual(['gray-500', 'file'])
})

test('images have the sizes of the layout', () => {
  expect(srcset({})).toBe('/t-38x.png 38w, /t-76x.png 76w')
  expect(srcset({}, 'cards')).toBe('/t-352x.png 352w, /t-864x.png 864w, /t-1408x.png 1408w')
  expect(srcset({ cover: true })).toBe('/t-38x38-crop.png 1x, /t-76x76-crop.png 2x')
  expect(srcset({ cover: true, ratio: '16/9' }, 'cards')).toContain('/t-352x198-crop.png 352w')
  expect(srcset({ cover: true, ratio: 'wide/0' }, 'cards')).toContain('/t-352x352-crop.png 352w')
  expect(panelImage(defaultPageImage(undefined), [], { source: { url: '/a.svg' } })).toMatchObject({ url: '/a.svg' })
  expect(panelImage(defaultPageImage(undefined), [], { source: { url: '/a.svg' } })).not.toHaveProperty('srcset')
})
