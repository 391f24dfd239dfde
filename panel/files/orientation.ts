/** How an image is shown: first mirrored left to right, then rotated clockwise. */
export interface Orientation {
  flip: boolean
  /** In degrees. */
  rotate: 0 | 90 | 180 | 270
}

/** A rectangle in an image, in percent of its width and height. */
export interface ImageArea {
  x: number
  y: number
  width: number
  height: number
}

const degrees = (number: number) => (((number % 360) + 360) % 360) as Orientation['rotate']

/** What the buttons do to the shown image: rotate it left or right, mirror it left to right or upside down. */
export const transformations = {
  rotateLeft: ({ flip, rotate }: Orientation): Orientation => ({ flip, rotate: degrees(rotate - 90) }),
  rotateRight: ({ flip, rotate }: Orientation): Orientation => ({ flip, rotate: degrees(rotate + 90) }),
  flipHorizontally: ({ flip, rotate }: Orientation): Orientation => ({ flip: !flip, rotate: degrees(-rotate) }),
  flipVertically: ({ flip, rotate }: Orientation): Orientation => ({ flip: !flip, rotate: degrees(180 - rotate) }),
}

export const isSideways = ({ rotate }: Orientation) => rotate === 90 || rotate === 270

/** Converts an area of the shown image to the same area of the stored image. */
export function areaInImage({ x, y, width, height }: ImageArea, { flip, rotate }: Orientation): ImageArea {
  const corners = [
    [x, y],
    [x + width, y + height],
  ].map(([cornerX, cornerY]) => {
    const back = { 0: [cornerX, cornerY], 90: [cornerY, 100 - cornerX!], 180: [100 - cornerX!, 100 - cornerY!], 270: [100 - cornerY!, cornerX] } // prettier-ignore
    const [left, top] = back[rotate] as [number, number]
    return [flip ? 100 - left : left, top] as const
  })
  const [[x1, y1], [x2, y2]] = corners as [readonly [number, number], readonly [number, number]]
  return { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x1 - x2), height: Math.abs(y1 - y2) }
}

/** Where an area is shown when the orientation changes. */
export function areaAfter(area: ImageArea, before: Orientation, after: Orientation): ImageArea {
  // The inverse of an orientation. With a flip it is the orientation itself, otherwise the opposite rotation.
  const inverse: Orientation = { flip: after.flip, rotate: after.flip ? after.rotate : degrees(-after.rotate) }
  return areaInImage(areaInImage(area, before), inverse)
}

/** An area in whole pixels, inside of the image; undefined if it is the whole image. */
export function pixelsOf(area: ImageArea, { width, height }: { width: number; height: number }) {
  const left = Math.min(Math.max(0, Math.round((area.x * width) / 100)), width - 1)
  const top = Math.min(Math.max(0, Math.round((area.y * height) / 100)), height - 1)
  const pixels = {
    left,
    top,
    width: Math.min(Math.max(1, Math.round((area.width * width) / 100)), width - left),
    height: Math.min(Math.max(1, Math.round((area.height * height) / 100)), height - top),
  }
  return pixels.width === width && pixels.height === height ? undefined : pixels
}
