/** Helpers for tests of import and export: folders of text files. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { importFolder, type ImportOptions } from '../src/transfer/import/import.ts'
import { createReport, type ImportReport } from '../src/transfer/import/report.ts'
import { openSource } from '../src/transfer/import/source.ts'
import { beforeCleanUp, type TestApp } from './harness.ts'

export type Files = Record<string, string | Buffer>

/** A new folder with these files. Removed after the test file. */
export function folderOf(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-import-'))
  beforeCleanUp(async () => rmSync(folder, { recursive: true, force: true }))
  write(folder, files)
  return folder
}

export function write(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** All files of a folder by path. Bytes are decoded as `latin1`, so that every difference shows. */
export function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .toSorted()
  return Object.fromEntries(names.map(name => [name.slice(folder.length + 1), readFileSync(name, 'latin1')]))
}

export async function importFrom(
  { app }: TestApp,
  folder: string,
  more: Partial<ImportOptions> = {},
): Promise<ImportReport> {
  const report = createReport()
  await importFolder(app, { source: openSource(folder, report), report, dryRun: false, roles: [], ...more })
  return report
}

export const fields = (content: Record<string, string>) =>
  Object.entries(content)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n\n----\n\n')

/** The bcrypt hash of `lantern oil 88`, with a low cost. */
export const hash = '$2b$04$LaT0O.zrEnJ51RG0UcnS3up/wdLpoM/8.Y1EDum11dRqROigmBSKG'

export const account = (more: Record<string, string> = {}) =>
  `<?php\n\nreturn [\n${Object.entries({
    email: 'ada@example.org',
    language: 'en',
    name: 'Ada',
    role: 'admin',
    ...more,
  })
    .map(([name, value]) => `    '${name}' => '${value}',\n`)
    .join('')}];`
