import type { App } from '../../app.ts'
import { formatFor } from '../../platform/media/formats.ts'
import { readFocus } from '../../platform/media/resize.ts'
import { isResizable, readSize } from '../../platform/media/thumbs.ts'
import type { FileRow } from './queries.ts'

/** The `Accept` header of current browsers. */
const accept = 'image/avif,image/webp'

/**
 * Generates the configured thumbnails in the background. Cropped ones depend on the focus point, which a new file
 * does not have yet.
 */
export function prepareThumbs({ config, thumbnails }: App, { hash, extension }: FileRow): void {
  if (!isResizable(extension)) return
  const sizes = config.media.sizes.map(readSize).filter(({ crop }) => !crop)
  const format = formatFor(extension, accept)
  thumbnails.prepare(sizes.map(size => ({ hash, size, format, focus: readFocus(undefined) })))
}
