import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * The list is a file of hashes, made by `tools/passwords.ts`: a line that says where it comes from, then 65,536 drawers by the
 * first two bytes of a hash (one byte each: how many hashes are in it), then three more bytes of every hash, drawer by drawer.
 * Of 40 bits in all, some 250,000 values are taken: one look-up in four million finds what was never put in.
 */
export const drawers = 65_536
export const restBytes = 3

/** What two spellings of one password have in common: letters of any width and size, and no blanks. */
export function folded(password: string): string {
  return password.normalize('NFKC').toLowerCase().replaceAll(/\s/gu, '')
}

/** Where a text is in the list, if it is there. */
export function placeOf(text: string): { drawer: number; rest: number } {
  const digest = hash('sha256', text, 'buffer')
  return { drawer: digest.readUInt16BE(0), rest: digest.readUIntBE(2, restBytes) }
}

let list: Buffer | undefined

/** Whether a folded text is among the passwords that everybody tries first. */
export function isListed(text: string): boolean {
  list ??= readList()
  const { drawer, rest } = placeOf(text)
  let start = 0
  for (let before = 0; before < drawer; before++) start += list[before]!
  for (let index = start; index < start + list[drawer]!; index++) {
    if (list.readUIntBE(drawers + index * restBytes, restBytes) === rest) return true
  }
  return false
}

/** Few processes ever set a password: it is read when the first one does. */
function readList(): Buffer {
  const file = readFileSync(new URL('common-passwords.bin', import.meta.url))
  return file.subarray(file.indexOf('\n') + 1)
}
