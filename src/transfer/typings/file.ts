import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Blueprints } from '../../blueprints/blueprints.ts'
import { head, typingsOf } from './typings.ts'

/** Where they are if nobody says otherwise: in the folder of the site. */
export const defaultName = 'quoin.types.ts'

/** The file is somebody else's. */
export class NotOurs extends Error {}

/** Whether there was anything to write: who watches the file is not disturbed for nothing. Seen as a whole, or not at all. */
export function writeTypings(blueprints: Blueprints, file: string): boolean {
  const text = typingsOf(blueprints)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (before === text) return false
  if (before !== undefined && before.trim() !== '' && !before.startsWith(head))
    throw new NotOurs(`${file} was not made by "quoin types"`)
  const passing = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(passing, text)
    renameSync(passing, file)
  } finally {
    rmSync(passing, { force: true })
  }
  return true
}
