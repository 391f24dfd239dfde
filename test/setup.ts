import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { release } from '../src/platform/release.ts'
import { migrate } from '../src/platform/store/migrate.ts'
import { openPostgres } from '../src/platform/store/postgres.ts'
import { startPostgres } from '../tools/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server. */
    postgres: string
    /** The name of a migrated database, of which each test storage is a copy. */
    templateDatabase: string
  }
}

/** Starts PostgreSQL and migrates a database, once before all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { socket: socketUrl, stop } = await startPostgres()
  const templateDatabase = `migrated_${process.pid}`
  await query(socketUrl, `create database ${templateDatabase}`)
  const url = Object.assign(new URL(socketUrl), { pathname: `/${templateDatabase}` }).href
  const store = await openPostgres({ url, connections: 1, timeout: 60_000, onError: () => {} })
  await migrate(store, release)
  await store.close()
  project.provide('postgres', socketUrl)
  project.provide('templateDatabase', templateDatabase)
  return async () => {
    await query(socketUrl, `drop database ${templateDatabase} with (force)`)
    await stop()
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
