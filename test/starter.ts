/** The starter as a test site: its blueprints and its content, with its own storage. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { importSiteFolder } from '../src/cli/initial-import/initial-import.ts'
import { createTestStorage, createTestApp, type TestStorage, type TestApp } from './harness.ts'

export const starter = join(import.meta.dirname, '../starter')

/** Copies the files only; the content is not imported yet. */
export async function createStarterStorage(): Promise<TestStorage> {
  const storage = await createTestStorage()
  for (const part of ['blueprints', 'content'])
    cpSync(join(starter, part), join(storage.data, part), { recursive: true, force: true })
  return storage
}

export async function createStarterApp(): Promise<TestApp> {
  const site = await createTestApp({ storage: await createStarterStorage() })
  await importSiteFolder(site.app)
  return site
}
