import type Sharp from 'sharp'

let library: Promise<typeof Sharp> | undefined

/**
 * The formats that may be decoded. The library knows more, among them documents and vector formats, which can refer to
 * other files.
 */
const loaders = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif', 'Tiff']

/** Loaded with the first picture. Without a cache, and with one thread per picture. */
export function loadSharp(): Promise<typeof Sharp> {
  library ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: loaders.map(name => `VipsForeignLoad${name}`) })
    return sharp
  })
  return library
}
