import type Sharp from 'sharp'

let library: Promise<typeof Sharp> | undefined

/**
 * The formats that may be decoded. The library knows more, among them documents and vector formats, which can refer to
 * other files.
 */
const loaders = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif', 'Tiff']

const smallSvg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')

/** Loaded with the first image. Without a cache, and with one thread per image. */
export function loadSharp(): Promise<typeof Sharp> {
  library ??= import('sharp').then(async ({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    if (!(await isRestricted(sharp))) {
      sharp.block({ operation: ['VipsForeignLoad'] })
      sharp.unblock({ operation: loaders.map(name => `VipsForeignLoad${name}`) })
    }
    return sharp
  })
  return library
}

/**
 * Whether another thread has restricted the formats. The threads of a process share the native library, and restricting
 * them again would refuse, for a moment, what other threads read.
 */
async function isRestricted(sharp: typeof Sharp): Promise<boolean> {
  if (!sharp.format.svg.input.buffer) return false
  return !(await sharp(smallSvg)
    .metadata()
    .catch(() => undefined))
}
