import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { toSlug } from '../platform/lib/slug.ts'
import { release } from '../platform/release.ts'
import { print, type Terminal, UsageError } from './terminal.ts'

const program = join(import.meta.dirname, '../..')
const starter = join(program, 'starter')
/** The parts of the starter to copy. After the starter has been served, its folder also contains data. */
const parts = ['blueprints', 'content', 'quoin.config.ts']

interface Options {
  json?: boolean
  withExtension?: boolean
}

/** Creates a new site as a copy of the starter. */
export async function init(
  folder: string,
  { json = false, withExtension = false }: Options,
  terminal: Terminal,
): Promise<void> {
  const site = resolve(folder)
  mustBeEmpty(site)
  mkdirSync(site, { recursive: true })
  for (const part of parts) cpSync(join(starter, part), join(site, part), { recursive: true })
  if (withExtension) addExtension(site)
  writeFileSync(join(site, '.gitignore'), 'node_modules\ndata\n')
  writeJson(join(site, 'package.json'), manifestFor(site, withExtension))
  const path = relative('', site)
  const enter = path === '' ? [] : [`cd ${shellWord(path)}`]
  const next = [...enter, ...(isFoundFrom(site) ? [] : ['npm install']), 'npx quoin start']
  const text = ['', `  There is a new site in ${path || '.'}. Next:`, '', ...next.map(line => `  ${line}`), '']
  print(terminal, json, { status: 'ok', site, next }, text.join('\n'))
}

const writeJson = (file: string, value: object) => writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`)

/** For code that Node runs without a build, and for parts of the panel. */
const compilerOptions = {
  target: 'esnext',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noImplicitOverride: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}

/** Adds the extension of the starter, its lines in the settings, and the settings of the compiler. */
function addExtension(site: string): void {
  cpSync(join(starter, 'extensions'), join(site, 'extensions'), { recursive: true })
  const config = join(site, 'quoin.config.ts')
  const settings = readFileSync(config, 'utf8')
    .replace("from 'quoin'\n", "from 'quoin'\nimport { tags } from './extensions/tags.ts'\n")
    .replace('defineConfig({})', 'defineConfig({ extensions: [tags()] })')
  writeFileSync(config, settings)
  writeJson(join(site, 'tsconfig.json'), { compilerOptions })
}

/** Whether `npx quoin` works in the folder already: npx looks in all folders above. */
function isFoundFrom(folder: string): boolean {
  if (existsSync(join(folder, 'node_modules/.bin/quoin'))) return true
  return dirname(folder) !== folder && isFoundFrom(dirname(folder))
}

function mustBeEmpty(site: string): void {
  if (!existsSync(site)) return
  if (!statSync(site).isDirectory())
    throw new UsageError(`${site} is a file. Name a folder that is empty, or not there.`)
  if (readdirSync(site).length > 0)
    throw new UsageError(`There is something in ${site} already. Name a folder that is empty, or not there.`)
}

/**
 * The `package.json` of the site. Its dependency is this release or, when run from a clone of the sources, the clone
 * itself.
 */
function manifestFor(site: string, withExtension: boolean) {
  const isClone = import.meta.filename.endsWith('.ts')
  return {
    name: toSlug(basename(site)) || 'site',
    private: true,
    type: 'module',
    scripts: {
      start: 'quoin start',
      check: 'quoin check',
      types: 'quoin types',
      ...(withExtension && { 'types:check': 'tsc' }),
    },
    dependencies: { quoin: isClone ? `file:${relative(site, program)}` : `^${release}` },
  }
}

/** Quotes a text for the shell, if needed. */
const shellWord = (text: string) => (/^[\w./@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)
