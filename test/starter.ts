/** The starter as a test site: its blueprints and its content, in a place of its own. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fillFromFolder } from '../src/cli/fill/fill.ts'
import { createPlace, createTestApp, type Place, type TestApp } from './harness.ts'

export const starter = join(import.meta.dirname, '../starter')

/** Copies the files only; the content is not imported yet. */
export async function createStarterPlace(): Promise<Place> {
  const place = await createPlace({ migrated: true })
  for (const part of ['blueprints', 'content'])
    cpSync(join(starter, part), join(place.data, part), { recursive: true, force: true })
  return place
}

export async function createStarterApp(): Promise<TestApp> {
  const site = await createTestApp({ place: await createStarterPlace() })
  await fillFromFolder(site.app)
  return site
}
