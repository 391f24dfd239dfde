import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isSlow } from '../test/slow.ts'
import { buildPackage } from './package.ts'

const folder = mkdtempSync(join(tmpdir(), 'quoin-package-'))
const modules = join(folder, 'node_modules')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Manifest {
  dependencies: Record<string, string>
}

/** A project that uses the package: it is below node_modules, with its dependencies beside it. */
async function install(): Promise<void> {
  mkdirSync(modules)
  const ours = join(import.meta.dirname, '../node_modules')
  for (const name of readdirSync(ours)) if (!name.startsWith('.')) symlinkSync(join(ours, name), join(modules, name))
  await buildPackage(join(modules, 'quoin'))
}

/** With the declarations of the package, and the types of the site. */
function mustCompile(): void {
  writeFileSync(
    join(folder, 'typed.ts'),
    `import { createClient, isBroken } from 'quoin/client'
     import type { Blueprints } from './quoin.types.ts'
     const client = createClient<Blueprints>({ url: 'https://example.org' })
     const { content } = await client.pages.get<'note'>({ id: 'a' })
     const text = content?.text ?? []
     if (!isBroken(text)) for (const block of text) if (block.type === 'heading') console.log(block.content.level)
     // @ts-expect-error there is no such field
     console.log(content?.nothing)
     await client.pages.update<'note'>({ id: 'a', ifMatch: 7, strict: true }, { kind: 'story' })
     // @ts-expect-error there is no such kind of note
     await client.pages.update<'note'>({ id: 'a' }, { kind: 'poem' })`,
  )
  writeFileSync(join(folder, 'readme.ts'), sampleOfReadme())
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    skipLibCheck: false, // our declarations must be right by themselves
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts', 'readme.ts'] }))
  const compiler = join(modules, 'typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', folder], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
}

function sampleOfReadme(): string {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const samples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, sample]) => sample!)
  expect(samples).toHaveLength(1)
  return samples[0]!
}

test.runIf(isSlow)(
  'the published package creates a site and serves it from node_modules, with configuration and client',
  async () => {
    await install()
    expect(readdirSync(join(modules, 'quoin/dist/panel/assets')).filter(name => name.startsWith('gallery'))).toEqual([])
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
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

    const made = execFileSync(process.execPath, [command, 'init', 'site', '--json'], { cwd: folder, encoding: 'utf8' })
    expect(JSON.parse(made)).toMatchObject({ status: 'ok', next: ['cd site', 'npm install', 'npx quoin start'] })
    const manifest = JSON.parse(readFileSync(join(folder, 'site/package.json'), 'utf8')) as Manifest
    expect(manifest.dependencies).toEqual({ quoin: expect.stringMatching(/^\^\d+\.\d+\.\d+$/) as string })

    execFileSync(process.execPath, [command, 'types', 'site', '--out', 'quoin.types.ts'], { cwd: folder })
    mustCompile()

    const server = spawn(process.execPath, [command, 'start', 'site', '--port', '0', '--json'], {
      cwd: folder,
      env: { ...process.env, QUOIN_LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer]
      const { url, filled } = JSON.parse(String(line)) as { url: string; filled: unknown }
      expect(filled).toEqual({ pages: 8, files: 5, skipped: [] })
      const program = execFileSync(process.execPath, ['program.ts', url], { cwd: folder, encoding: 'utf8' })
      expect(program).toBe('Bitte melden Sie sich an.\n')
      const panel = await fetch(`${url}/panel`)
      expect(panel.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(await panel.text()).toContain('<script')
    } finally {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  },
  600_000,
)
