/** Sites that consist of nothing but blueprints. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { builtInParts, type LoadedBlueprints, readBlueprints } from '../src/blueprints/read.ts'
import { beforeCleanUp } from './harness.ts'

/** A folder with these files: `pages/note.yml` → its text. Removed after the test file. */
export function createBlueprints(files: Record<string, string | Uint8Array> = {}): string {
  const site = mkdtempSync(join(tmpdir(), 'quoin-blueprints-'))
  beforeCleanUp(async () => rmSync(site, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeBlueprint(site, name, text)
  return site
}

export function writeBlueprint(site: string, name: string, text: string | Uint8Array): void {
  const path = join(site, 'blueprints', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

export function readAll(files: Record<string, string | Uint8Array>): LoadedBlueprints {
  return readBlueprints(createBlueprints(files), builtInParts)
}

/** The problems as `quoin check` prints them, without the name of the folder. */
export function problemsOf({ problems }: Pick<LoadedBlueprints, 'problems'>): string[] {
  return problems.map(
    ({ file, line, column, message }) => `${file.replace(/^blueprints\//, '')}:${line}:${column} ${message}`,
  )
}
