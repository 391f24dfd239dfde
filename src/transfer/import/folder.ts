import type { ContentLanguage } from '../../http/context.ts'
import { type ImportReport, note, skip } from './report.ts'
import type { SourceEntry, ImportSource } from './source.ts'
import { readText } from './text.ts'

/** Input for all readers of the folder. */
export interface ImportContext {
  source: ImportSource
  report: ImportReport
  /** By the language code in the names of text files; undefined is the key on a site without languages. */
  languages: ReadonlyMap<string | undefined, ContentLanguage>
}

/** The content of one text file, in its language. */
export interface FoundText {
  file: string
  language: ContentLanguage
  content: Record<string, string>
  modified: number
}

export interface FoundFile {
  file: string
  name: string
  texts: FoundText[]
}

/** What a folder contains about its model. */
export interface FolderContents {
  /** The name of the text files of the model itself; undefined if there are none. */
  template: string | undefined
  texts: FoundText[]
  files: FoundFile[]
  folders: SourceEntry[]
}

/** Files that operating systems and tools create. They are skipped without a report. */
const ignored =
  /^(?:\.DS_Store|\.git|\.gitignore|\.gitkeep|\.gitattributes|\.svn|\.htaccess|\.lock|Thumbs?\.db|@eaDir)$/

/** The entries of a folder, without the ignored ones. */
export const entriesIn = ({ source }: ImportContext, path: string): SourceEntry[] =>
  source.list(path).filter(({ name }) => !ignored.test(name))

/** `only` is the required name of the text files of the model; entries in `except` are read elsewhere. */
export function readModel(
  ctx: ImportContext,
  path: string,
  { only, except = [] }: { only?: string; except?: readonly string[] } = {},
): FolderContents {
  const { report } = ctx
  const entries = entriesIn(ctx, path).filter(({ name }) => !except.includes(name))
  const plain = entries.filter(entry => !entry.isFolder)
  const names = new Set(plain.map(({ name }) => name).filter(isFileName))
  const fileTexts = new Map<string, FoundText[]>()
  const candidates = new Map<string, { file: string; language: ContentLanguage }[]>()

  for (const { name, path: file } of plain.filter(entry => isText(entry.name))) {
    const { base, language } = nameOf(ctx, name)
    if (!language) skip(report, file, 'there is no language of this site in its name')
    else if (names.has(base)) push(fileTexts, base, readFile(ctx, file, language))
    else push(candidates, base, { file, language })
  }
  const template = only ?? [...candidates.keys()].at(-1)
  for (const [name, files] of candidates)
    if (name !== template)
      for (const { file } of files)
        skip(report, file, only === undefined ? `the page has its text in ${template}.txt` : 'nothing has this name')

  return {
    template: candidates.has(template ?? '') ? template : undefined,
    texts: (candidates.get(template ?? '') ?? []).flatMap(({ file, language }) => readFile(ctx, file, language) ?? []),
    files: plain.flatMap(entry => fileIn(report, entry, fileTexts)),
    folders: entries.filter(entry => entry.isFolder),
  }
}

const isText = (name: string) => name.endsWith('.txt') && !/^[._]/.test(name)
const isFileName = (name: string) => !/^[._]|\.(?:txt|html?|php)$/i.test(name)

/** `exhibit.en.txt` → `exhibit`, English. */
function nameOf({ languages }: ImportContext, name: string): { base: string; language: ContentLanguage | undefined } {
  const base = name.slice(0, -'.txt'.length)
  if (languages.has(undefined)) return { base, language: languages.get(undefined) }
  const dot = base.lastIndexOf('.')
  return { base: base.slice(0, Math.max(dot, 0)), language: languages.get(base.slice(dot + 1)) }
}

function readFile({ source, report }: ImportContext, file: string, language: ContentLanguage): FoundText | undefined {
  const read = source.text(file)
  if (!read) return undefined
  const { content, odd } = readText(read.text)
  if (odd > 0) note(report, file, 'text without a field name in front of it was left out')
  return { file, language, content, modified: read.modified }
}

/** A name that is valid on every system. It stays unchanged, because texts refer to it. */
const namePattern = /^(?!\.)[^/\\\p{C}]+$/u
const maxNameLength = 200

function fileIn(
  report: ImportReport,
  { name, path }: SourceEntry,
  texts: ReadonlyMap<string, FoundText[]>,
): FoundFile[] {
  if (isText(name)) return []
  if (!isFileName(name)) skip(report, path, 'files of this name are not imported')
  else if (!namePattern.test(name) || Buffer.byteLength(name) > maxNameLength)
    skip(report, path, 'a file cannot have this name')
  else return [{ file: path, name: name.normalize('NFC'), texts: texts.get(name) ?? [] }]
  return []
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value | undefined): void {
  if (value !== undefined) map.set(key, [...(map.get(key) ?? []), value])
}
