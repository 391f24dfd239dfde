import { fail } from '../../platform/errors.ts'
import { toSlug } from '../../platform/lib/slug.ts'

/** A file name in two parts, both safe in paths, URLs and on every file system. */
export interface Name {
  base: string
  /** In lower case; empty if there is none. */
  extension: string
}

/** Limit in bytes, below that of file systems, because names of thumbnails are longer. */
const maxNameLength = 200

/** Device names: Windows opens the device instead of a file, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/

/** Converts a file name of a client to a safe one. Drops folders. */
export function safeName(requestedName: string): Name {
  const name = requestedName
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/^.*[/\\]/s, '')
    .replace(/^[A-Za-z]:/, '') // drive letter
    .trim()
  const dot = name.lastIndexOf('.')
  if (dot < 0) return { base: safeBase(name), extension: '' }
  const extension = safePart(name.slice(dot + 1)).replaceAll(/[.@]/g, '')
  return { base: safeBase(name.slice(0, dot), extension.length + 1), extension }
}

/** A safe name without extension; other dots stay part of it. */
function safeBase(text: string, reserved = 0): string {
  const base = shortened(safePart(text), maxNameLength - reserved)
  return base.replace(devices, device => `${device}-`)
}

/** Lower-case letters, digits, and `@ . _ -` between them. */
function safePart(text: string): string {
  const parts = text.split(/([@._-]+)/).map((part, index) => (index % 2 === 0 ? toSlug(part) : part))
  return parts
    .join('')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^[-.@]+|[-.]+$/g, '')
}

/** Cuts between characters, never inside of one. */
function shortened(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  let short = ''
  let size = 0
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > bytes) break
    short += character
  }
  return short.replaceAll(/[-.]+$/g, '')
}

export const joined = ({ base, extension }: Name) => (extension === '' ? base : `${base}.${extension}`)

/** Without the extension: `list.exe.md` → `list.exe` */
export function baseOf({ filename, extension }: { filename: string; extension: string }): string {
  return filename.slice(0, filename.length - extension.length - 1)
}

/** The file name with a number: `coast.jpg`, 2 → `coast-2.jpg`. */
export function numbered({ filename, extension }: { filename: string; extension: string }, number: number): string {
  const end = `-${number}.${extension}`
  return shortened(baseOf({ filename, extension }), maxNameLength - end.length) + end
}

/** The file name with another base; the extension stays. */
export function renamed({ extension }: { extension: string }, name: string): string {
  const base = safeBase(name.normalize('NFKC').replaceAll(/[\p{C}\p{Zl}\p{Zp}/\\]/gu, ' '), extension.length + 1)
  if (base === '') throw fail('file.changeName.empty')
  return joined({ base, extension })
}
