import { open } from 'node:fs/promises'
import type { Received } from '../media.ts'
import { locationPatches } from './location.ts'
import { fileSource } from './source.ts'

/** The received bytes without the location where the image was taken. Unchanged if there is none. */
export async function withoutLocation(received: Received): Promise<Received> {
  const file = await open(received.path)
  try {
    const patches = await locationPatches(fileSource(file, received.size))
    return patches.length === 0 ? received : await received.patch(patches)
  } finally {
    await file.close()
  }
}
