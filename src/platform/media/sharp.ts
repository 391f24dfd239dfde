import type Sharp from 'sharp'

let library: Promise<typeof Sharp> | undefined

/** What may be read as a picture. The library knows more kinds, among them some that are programs rather than pictures. */
const loaders = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif', 'Tiff']

/** Loaded when the first picture comes. Keeps nothing in memory and takes one thread for one picture. */
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
