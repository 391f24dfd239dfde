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
    migrated: string
  }
}

/** Starts PostgreSQL and migrates a database, once before all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { socket, stop } = await startPostgres()
  const migrated = `migrated_${process.pid}`
  await query(socket, `create database ${migrated}`)
  const url = Object.assign(new URL(socket), { pathname: `/${migrated}` }).href
  const store = await openPostgres({ url, connections: 1, timeout: 60_000, onError: () => {} })
  await migrate(store, release)
  await store.close()
  project.provide('postgres', socket)
  project.provide('migrated', migrated)
  return async () => {
    await query(socket, `drop database ${migrated} with (force)`)
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
