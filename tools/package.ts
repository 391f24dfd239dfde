/**
 * Builds `dist/`, the published package: Node refuses TypeScript in node_modules, so it contains JavaScript, bundled. Everything
 * else runs from the sources. `npm run package`, then `npm publish dist`.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleServer } from './bundle.ts'
import { ensurePanel } from './panel.ts'

const root = join(import.meta.dirname, '..')

interface Manifest {
  [field: string]: unknown
}

export async function buildPackage(target = join(root, 'dist')): Promise<string> {
  rmSync(target, { recursive: true, force: true })
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const compile = (...options: string[]) =>
    execFileSync(process.execPath, [compiler, ...options], { cwd: root, stdio: 'inherit' })
  compile('-p', 'tsconfig.build.json', '--outDir', target)
  // For browsers, so with other types than the rest.
  compile('-p', 'preview', '--noEmit', 'false', '--incremental', 'false', '--allowImportingTsExtensions', 'false', '--outDir', join(target, 'preview')) // prettier-ignore
  compileElements(target, compile)
  pruneDeclarations(target)
  for (const name of globSync('src/**/*.js', { cwd: target })) rmSync(join(target, name))
  await bundleServer(target)
  for (const name of [
    'bin',
    'src/platform/translations/texts',
    'src/http/reference/error-keys.json',
    'src/http/reference/examples.json',
    'src/http/reference/reference.css',
    'src/http/reference/search.js',
    'src/access/factors/common-passwords.bin',
    'starter/blueprints',
    'starter/content',
    'starter/extensions',
    'starter/quoin.config.ts',
    'deploy',
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
  ])
    cpSync(join(root, name), join(target, name), { recursive: true })
  await ensurePanel(join(target, 'dist/panel'), 'package')
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(publishedManifest(manifest), undefined, 2)}\n`)
  return target
}

/** `quoin/panel`, for browsers: with the declarations of the client instead of its source, so that nothing is compiled twice. */
function compileElements(target: string, compile: (...options: string[]) => void): void {
  const source = join(target, 'elements/panel.ts')
  const text = readFileSync(join(root, 'elements/panel.ts'), 'utf8')
  mkdirSync(dirname(source), { recursive: true })
  writeFileSync(source, text.replace('../client/client.ts', '../client/client.js'))
  compile(source, '--ignoreConfig', '--declaration', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext', '--lib', 'esnext,dom,dom.iterable') // prettier-ignore
  rmSync(source)
}

const entries = {
  '.': 'src/index',
  './client': 'client/client',
  './panel': 'elements/panel',
  './preview': 'preview/preview',
}

/**
 * Removes the declarations that no entry reaches, and the indentation of the others: inferred types are nested deeply, so
 * that this halves them.
 */
function pruneDeclarations(target: string): void {
  const reached = new Map<string, string>()
  const visit = (file: string) => {
    if (reached.has(file)) return
    const text = readFileSync(file, 'utf8')
    reached.set(file, text.replaceAll(/^ +/gm, ''))
    for (const [, path] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g))
      visit(join(dirname(file), `${path}.d.ts`))
  }
  for (const path of Object.values(entries)) visit(join(target, `${path}.d.ts`))
  for (const name of globSync('**/*.d.ts', { cwd: target })) {
    const file = join(target, name)
    const text = reached.get(file)
    if (text === undefined) rmSync(file)
    else writeFileSync(file, text)
  }
}

const developmentKeys = new Set(['scripts', 'devDependencies', 'overrides', 'allowScripts', 'private'])

function publishedManifest(manifest: Manifest): Manifest {
  const published = Object.entries(manifest).filter(([field]) => !developmentKeys.has(field))
  const exports = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, entry(path)]))
  return { ...Object.fromEntries(published), exports }
}

function entry(path: string): { types: string; default: string } {
  return { types: `./${path}.d.ts`, default: `./${path}.js` }
}

if (import.meta.main) await buildPackage()
