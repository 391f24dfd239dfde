/** How an image is shown: first mirrored left to right, then turned clockwise. */
export interface Turn {
  flip: boolean
  rotate: 0 | 90 | 180 | 270
}

/** A part of an image, in percent of its width and height. */
export interface Part {
  x: number
  y: number
  width: number
  height: number
}

const degrees = (number: number) => (((number % 360) + 360) % 360) as Turn['rotate']

/** Each changes what is shown: turns it, or mirrors it left to right or upside down. */
export const turns = {
  left: ({ flip, rotate }: Turn): Turn => ({ flip, rotate: degrees(rotate - 90) }),
  right: ({ flip, rotate }: Turn): Turn => ({ flip, rotate: degrees(rotate + 90) }),
  across: ({ flip, rotate }: Turn): Turn => ({ flip: !flip, rotate: degrees(-rotate) }),
  down: ({ flip, rotate }: Turn): Turn => ({ flip: !flip, rotate: degrees(180 - rotate) }),
}

export const isSideways = ({ rotate }: Turn) => rotate === 90 || rotate === 270

/** Where a part of the shown image is in the image itself. */
export function inImage({ x, y, width, height }: Part, { flip, rotate }: Turn): Part {
  const corners = [
    [x, y],
    [x + width, y + height],
  ].map(([across, down]) => {
    const back = { 0: [across, down], 90: [down, 100 - across!], 180: [100 - across!, 100 - down!], 270: [100 - down!, across] } // prettier-ignore
    const [left, top] = back[rotate] as [number, number]
    return [flip ? 100 - left : left, top] as const
  })
  const [[x1, y1], [x2, y2]] = corners as [readonly [number, number], readonly [number, number]]
  return { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x1 - x2), height: Math.abs(y1 - y2) }
}

/** The same part of the image, as it is shown after another turn. */
export function shownAt(part: Part, before: Turn, after: Turn): Part {
  // Turning back is a turn as well: mirrored images are turned back by the same angle, others by the opposite one.
  const back: Turn = { flip: after.flip, rotate: after.flip ? after.rotate : degrees(-after.rotate) }
  return inImage(inImage(part, before), back)
}

/** In whole pixels, inside of the image; undefined if the part is all of it. */
export function pixelsOf(part: Part, { width, height }: { width: number; height: number }) {
  const left = Math.min(Math.max(0, Math.round((part.x * width) / 100)), width - 1)
  const top = Math.min(Math.max(0, Math.round((part.y * height) / 100)), height - 1)
  const pixels = {
    left,
    top,
    width: Math.min(Math.max(1, Math.round((part.width * width) / 100)), width - left),
    height: Math.min(Math.max(1, Math.round((part.height * height) / 100)), height - top),
  }
  return pixels.width === width && pixels.height === height ? undefined : pixels
}
