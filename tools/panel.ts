/**
 * Builds the panel into `dist/panel` if a source is newer than the build. `npm start` and the tests of the panel run it
 * first.
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist/panel')

/** All inputs of the build. */
const sources = ['panel/**/*', 'elements/*.ts', 'client/*.ts', 'tools/panel.ts', 'package-lock.json']

function isStale(target: string): boolean {
  const built = join(target, 'index.html')
  if (!existsSync(built)) return true
  const { mtimeMs } = statSync(built)
  return sources
    .flatMap(pattern => globSync(pattern, { cwd: root }))
    .some(name => !name.endsWith('.test.ts') && statSync(join(root, name)).mtimeMs > mtimeMs)
}

/** A build for the published package, or one to run from source, which also has the gallery of components. */
type Mode = 'package' | 'source'

/** Builds into a temporary folder and moves it into place when it is complete. */
async function build(target: string, mode: Mode): Promise<void> {
  const startedAt = new Date()
  const vite = await import('vite')
  mkdirSync(dirname(target), { recursive: true })
  const fresh = mkdtempSync(`${target}-`)
  const { NODE_ENV } = process.env
  process.env['NODE_ENV'] = 'production' // tests set another value
  try {
    await vite.build({
      configFile: join(root, 'panel/vite.config.ts'),
      mode,
      logLevel: 'warn',
      build: { outDir: fresh },
    })
    // What extensions import as `quoin/panel`. Its name has no hash, because an import map refers to it.
    await vite.build({
      configFile: false,
      logLevel: 'warn',
      build: {
        outDir: fresh,
        emptyOutDir: false,
        target: 'es2023',
        reportCompressedSize: false,
        lib: { entry: join(root, 'elements/panel.ts'), formats: ['es'], fileName: () => 'element.js' },
      },
    })
    compress(join(fresh, 'assets'))
    // The build gets the time of its start, so that a source that changed meanwhile counts as newer.
    utimesSync(join(fresh, 'index.html'), startedAt, startedAt)
    replace(target, fresh)
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = NODE_ENV
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** If two processes build at the same time, either result is good. */
function replace(target: string, fresh: string): void {
  rmSync(target, { recursive: true, force: true })
  try {
    renameSync(fresh, target)
  } catch (error) {
    if (!existsSync(join(target, 'index.html'))) throw error
  }
}

/** Compresses once at build time, with a higher level than is possible per request. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/\.(js|css|svg|json)$/.test(name)) continue
    const path = join(folder, name)
    const bytes = readFileSync(path)
    if (bytes.length < 256) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

/** Resolves when the build is as new as its sources. */
export async function ensurePanel(target = dist, mode: Mode = 'source'): Promise<void> {
  if (isStale(target)) await build(target, mode)
}

if (import.meta.main) {
  if (isStale(dist)) console.log('Building the panel …')
  await ensurePanel().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    // Everything except the panel works without it.
    console.error('The panel cannot be built: its tools are not installed. "npm ci" without --omit=dev brings them.')
  })
}
