import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
const minFreeBytes = 2 ** 31

/**
 * A folder for temporary files of a test run: in memory if the system offers that, because nothing has to outlive the
 * run.
 */
export function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize > minFreeBytes) return memory
  } catch {
    // not available on this system
  }
  return tmpdir()
}
