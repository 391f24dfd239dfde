/**
 * Writes the recorded parts of the reference, from test runs. `npm run record` writes the examples
 * (`src/http/reference/examples.json`); `npm run record -- --errors` runs all tests and adds the error keys that they
 * have seen to `error-keys.json`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api } from '../src/api.ts'
import { listEndpoints } from '../src/http/endpoint.ts'
import { commonErrors } from '../src/http/reference/error-keys.ts'

const root = join(import.meta.dirname, '..')
const keysFile = join(root, 'src/http/reference/error-keys.json')

function vitest(options: string[], env: Record<string, string>): void {
  const program = join(root, 'node_modules/vitest/vitest.mjs')
  const all = { cwd: root, stdio: 'inherit' as const, env: { ...process.env, ...env } }
  spawnSync(process.execPath, [program, 'run', ...options], all)
}

/** Adds keys (`pages.get page.notFound`, one per line) to the list; keys that are common to all operations are left out. */
export function withKeys(known: Readonly<Record<string, string[]>>, lines: string): Record<string, string[]> {
  const seen = lines.split('\n').flatMap(line => (line === '' ? [] : [line.split(' ') as [string, string]]))
  const common = new Set([...commonErrors, 'auth.fresh'])
  return Object.fromEntries(
    [...listEndpoints(api)].map(([name]) => {
      const found = seen.filter(([operation]) => operation === name).map(([, key]) => key)
      const keys = new Set([...(known[name] ?? []), ...found].filter(key => !common.has(key)))
      return [name, [...keys].toSorted()]
    }),
  )
}

if (import.meta.main) {
  if (process.argv.includes('--errors')) {
    const folder = mkdtempSync(join(tmpdir(), 'quoin-record-'))
    const file = join(folder, 'keys')
    writeFileSync(file, '')
    vitest([], { QUOIN_RECORD_KEYS: file })
    const known = JSON.parse(readFileSync(keysFile, 'utf8')) as Record<string, string[]>
    writeFileSync(keysFile, `${JSON.stringify(withKeys(known, readFileSync(file, 'utf8')), undefined, 2)}\n`)
    rmSync(folder, { recursive: true })
  } else vitest(['--project', 'sqlite', 'test/examples.test.ts'], { QUOIN_RECORD: 'true' })
}
