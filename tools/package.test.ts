import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { buildPackage } from './package.ts'

const folder = mkdtempSync(join(tmpdir(), 'quoin-package-'))
const modules = join(folder, 'node_modules')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A project of somebody else's: the package below node_modules, its dependencies beside it. */
function install(): void {
  mkdirSync(modules)
  const ours = join(import.meta.dirname, '../node_modules')
  for (const name of readdirSync(ours)) if (!name.startsWith('.')) symlinkSync(join(ours, name), join(modules, name))
  buildPackage(join(modules, 'quoin'))
}

test.runIf(process.env['STORE'] !== 'postgres')(
  'the published package runs from node_modules, with its configuration and its client',
  async () => {
    install()
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      join(folder, 'quoin.config.ts'),
      `import { defineConfig } from 'quoin'\nexport default defineConfig({ port: 0, log: { level: 'silent' } })\n`,
    )
    writeFileSync(
      join(folder, 'program.ts'),
      `import { createClient, QuoinError } from 'quoin/client'
     const client = createClient({ url: process.argv[2]! })
     const error = await client.auth.get().catch((error: unknown) => error)
     const { data: words } = await client.translations.get({ id: 'de' })
     console.log(error instanceof QuoinError && words![error.key])`,
    )
    const command = join(modules, 'quoin/bin/quoin.mjs')
    expect(execFileSync(process.execPath, [command, '--version'], { cwd: folder, encoding: 'utf8' })).toMatch(
      /^\d+\.\d+\.\d+\n$/,
    )

    const server = spawn(process.execPath, [command, 'start', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer]
      const { url } = JSON.parse(String(line)) as { url: string }
      const program = execFileSync(process.execPath, ['program.ts', url], { cwd: folder, encoding: 'utf8' })
      expect(program).toBe('Bitte melden Sie sich an.\n')
    } finally {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  },
)
