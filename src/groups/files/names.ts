import { fail } from '../../platform/errors.ts'
import { toSlug } from '../../platform/lib/slug.ts'

/** A name in its two parts; both are safe in paths, addresses and on every file system. */
export interface Name {
  base: string
  /** In small letters; empty if there is none. */
  extension: string
}

/** In bytes: what a file system takes, with room for what thumbnails add. */
const longest = 200

/** Names of devices: some systems open them instead of a file, whatever comes after the dot. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/

/** What somebody calls a file becomes what it is called here. Folders in it are dropped. */
export function safeName(given: string): Name {
  const name = given
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/^.*[/\\]/s, '')
    .replace(/^[A-Za-z]:/, '') // a drive
    .trim()
  const dot = name.lastIndexOf('.')
  if (dot < 0) return { base: safeBase(name), extension: '' }
  const extension = safePart(name.slice(dot + 1)).replaceAll(/[.@]/g, '')
  return { base: safeBase(name.slice(0, dot), extension.length + 1), extension }
}

/** Without an extension; dots inside it stay part of it. */
function safeBase(text: string, taken = 0): string {
  const base = shortened(safePart(text), longest - taken)
  return base.replace(devices, device => `${device}-`)
}

/** Small letters, digits, and `@ . _ -` between them. */
function safePart(text: string): string {
  const parts = text.split(/([@._-]+)/).map((part, index) => (index % 2 === 0 ? toSlug(part) : part))
  return parts
    .join('')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^[-.@]+|[-.]+$/g, '')
}

/** Never in the middle of a letter. */
function shortened(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  let short = ''
  let size = 0
  for (const letter of text) {
    size += Buffer.byteLength(letter)
    if (size > bytes) break
    short += letter
  }
  return short.replaceAll(/[-.]+$/g, '')
}

export const joined = ({ base, extension }: Name) => (extension === '' ? base : `${base}.${extension}`)

/** Of a stored name: `list.exe.md` → `list.exe` */
export function baseOf({ filename, extension }: { filename: string; extension: string }): string {
  return filename.slice(0, filename.length - extension.length - 1)
}

/** What the file is called with another base; its extension stays. */
export function renamed({ extension }: { extension: string }, name: string): string {
  const base = safeBase(name.normalize('NFKC').replaceAll(/[\p{C}\p{Zl}\p{Zp}/\\]/gu, ' '), extension.length + 1)
  if (base === '') throw fail('file.changeName.empty')
  return joined({ base, extension })
}
