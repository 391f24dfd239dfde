import type { ImageFormat } from './resize.ts'

export const mimeOfFormat: Readonly<Record<ImageFormat, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
}

/**
 * The smallest format that the browser accepts. AVIF is not animated here, so formats that may be animated become WebP
 * at most.
 */
export function formatFor(extension: string, accept: string | undefined): ImageFormat {
  const own = extension === 'jpeg' ? 'jpg' : (extension as ImageFormat)
  if (own !== 'gif' && own !== 'webp' && accepts(accept, 'avif')) return 'avif'
  return accepts(accept, 'webp') ? 'webp' : own
}

function accepts(accept: string | undefined, format: ImageFormat): boolean {
  const accepted = accept?.split(',').find(item => item.trim().toLowerCase().split(/[\s;]/)[0] === mimeOfFormat[format])
  return accepted !== undefined && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(accepted)
}
