import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
const enough = 2 ** 31

/** A folder for what lives as long as a run of the tests: in memory where the system offers that, because nothing has to outlive it. */
export function passingFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize > enough) return memory
  } catch {
    // not on this system
  }
  return tmpdir()
}
