import type { TestProject } from 'vitest/node'
import { startPostgres } from '../tools/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string
  }
}

/** Runs once, before all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres()
  project.provide('postgres', postgres.url)
  return () => postgres.stop()
}
