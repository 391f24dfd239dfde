import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/**
 * The architecture in one list: modules, and the folders and files of each, `*` for all others. Everything imports only
 * what comes before it, or its own.
 */
const modules: Record<string, readonly string[]> = {
  platform: ['lib', 'release', 'metrics', 'worker-process', 'texts', 'errors', 'config', 'log', 'secrets', 'translations', 'store', 'runtime', 'media', 'throttle', 'queue', 'mail', 'search', 'documents'],
  blueprints: ['permissions', 'fields', '*'],
  access: ['actor', 'audit', 'factors', 'preview', 'session', 'authorize'],
  http: ['*', 'reference'],
  content: [
    'languages', 'redirects',
    // values, their forms and rules
    'content', 'language-form', 'large', 'private', 'difference', 'revision', 'rules', 'title', 'with-rules', 'blueprint', 'panel-image', 'user-summary', 'change-events',
    // what is stored
    'queries', 'drafts', 'stored', 'save', 'visible', 'strict',
    // endpoints that pages, files, accounts and the site share
    'versioned', 'resource', 'changes', 'history', 'versions', 'search', 'collection', 'filter-value',
    'convert', 'ids', 'trash',
  ],
  groups: ['languages', 'translations', 'roles', 'files', 'users', 'pages', 'site', 'system', 'auth', 'delivery'],
  forms: ['query', 'pickers', 'sections', 'references', 'request-context'],
  transfer: ['import', 'export', 'backup', 'copy', 'typings'],
  api: ['api'],
  extensions: ['*'],
  '': ['app', 'openapi', 'reference', 'server'],
  cli: ['terminal', '*', 'program'],
  main: ['index', 'main'],
} // prettier-ignore

/**
 * From `access` on, every operation takes the running application; importing its interface is not a dependency on
 * `openApp`. What comes before takes a part of it (`Runtime`).
 */
const isAppInterface = (file: string, { target, typeOnly }: { target: string; typeOnly: boolean }) =>
  typeOnly && target === 'src/app.ts' && !/^src\/(?:platform|blueprints)\//.test(file)

const root = join(import.meta.dirname, '..')
const isSource = (name: string) => !name.endsWith('.test.ts')
const files = globSync('{src,client,panel,elements,preview,bench}/**/*.{ts,tsx}', { cwd: root }).filter(isSource)

const importsByFile = new Map<string, { target: string; typeOnly: boolean }[]>()

function importsOf(file: string) {
  let found = importsByFile.get(file)
  if (!found) importsByFile.set(file, (found = readImports(file)))
  return found
}

/** What a file imports, by path from the root or by package name. Erased imports count for client and panel only there. */
function readImports(file: string): { target: string; typeOnly: boolean }[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(
    /(?:^|\n)\s*(import|export)( type)?[^'"\n]*?(?:\{[^}]*\}[^'"\n]*)?from '([^']+)'|import\('([^']+)'\)/g,
  )
  return [...found].map(([, , type, from, dynamic]) => {
    const name = (from ?? dynamic)!
    return { target: name.startsWith('.') ? join(file, '..', name) : name, typeOnly: type !== undefined }
  })
}

/** Its place in the list; -1 if it has none. */
function layerOf(path: string): number {
  const [first = '', second = ''] = path
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .split('/')
  const places = Object.entries(modules).flatMap(([module, parts]) => parts.map(part => ({ module, part })))
  const isAt = (module: string, part: string) =>
    places.findIndex(place => place.module === module && place.part === part)
  const atTop = Math.max(isAt('', first), isAt('api', first), isAt('main', first))
  if (atTop >= 0 || second === '') return atTop
  return isAt(first, second) >= 0 ? isAt(first, second) : isAt(first, '*')
}

test('files and imports are found', () => {
  expect(files.length).toBeGreaterThan(40)
  expect(files.flatMap(importsOf).length).toBeGreaterThan(100)
})

test('a file imports only lower layers', () => {
  for (const file of files.filter(name => name.startsWith('src/'))) {
    expect(layerOf(file), `${file} has no place in the list`).toBeGreaterThanOrEqual(0)
    const imported = importsOf(file).filter(({ target }) => target.startsWith('src/'))
    for (const { target } of imported.filter(found => !isAppInterface(file, found)))
      expect(layerOf(target), `${target} comes after ${file} in the list`).toBeLessThanOrEqual(layerOf(file))
  }
})

test('a file uses only the libraries of its layer', () => {
  for (const file of files)
    for (const { target, typeOnly } of importsOf(file)) {
      if (target === 'kysely' || target === 'pg')
        expect(file, `${file} imports ${target}`).toMatch(/^src\/platform\/store\/|\/queries\.ts$/)
      if (target === 'fastify' && file.startsWith('src/'))
        expect(file, `${file} imports ${target}`).toMatch(/^src\/(?:server\.ts$|server\/)/)
      if (file.startsWith('src/platform/store/migrations/')) expect(target, `${file} imports ${target}`).toBe('kysely')
      if (file.startsWith('client/'))
        expect(target.startsWith('client/') || (typeOnly && target === 'src/api.ts'), `${file} imports ${target}`).toBe(
          true,
        )
      // The panel reaches the server only through the client. `preview` is loaded by front ends, alone.
      if (file.startsWith('panel/')) expect(target, `${file} imports ${target}`).not.toMatch(/^(?:src|test|bench)\//)
      if (file.startsWith('preview/')) expect(target, `${file} imports ${target}`).toMatch(/^preview\//)
      // The panel serves it to the parts of extensions as one file of its own.
      if (file.startsWith('elements/'))
        expect(typeOnly && target === 'client/client.ts', `${file} imports ${target}`).toBe(true)
      if (file.startsWith('panel/ui/')) expect(target, `${file} imports ${target}`).toMatch(/^panel\/ui\/|^[^.]/)
    }
})

type Graph = ReadonlyMap<string, readonly string[]>

function expectNoCycle(graph: Graph): void {
  const done = new Set<string>()
  function visit(node: string, path: string[]): void {
    expect(path, `cycle: ${[...path, node].join(' → ')}`).not.toContain(node)
    if (done.has(node)) return
    for (const target of graph.get(node) ?? []) visit(target, [...path, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
}

const importsWithin = (file: string) =>
  importsOf(file)
    .filter(found => !isAppInterface(file, found))
    .map(({ target }) => target)

test('no file is in an import cycle', () => {
  expectNoCycle(new Map(files.map(file => [file, importsWithin(file)])))
})

/** The two folders beside each other that an import connects; undefined if one end is no such folder. */
function connectedFolders(from: string, to: string): [string, string] | undefined {
  const [source, target] = [from.split('/').slice(0, -1), to.split('/').slice(0, -1)]
  const depth = source.findIndex((name, index) => name !== target[index])
  if (depth < 0 || depth >= target.length) return undefined
  return [source.slice(0, depth + 1).join('/'), target.slice(0, depth + 1).join('/')]
}

test('no folder is in an import cycle with those beside it', () => {
  const graph = new Map<string, string[]>()
  for (const file of files.filter(name => name.startsWith('src/')))
    for (const target of importsWithin(file)) {
      const folders = connectedFolders(file, target)
      if (folders) graph.set(folders[0], [...(graph.get(folders[0]) ?? []), folders[1]])
    }
  expect(graph.size).toBeGreaterThan(40)
  expectNoCycle(graph)
})

/** Where the panel may say what a value is, and why: `docs/decisions/033-types.md`. */
const allowedCasts: Readonly<Record<string, number>> = {
  // The API does not declare the details of errors.
  'panel/app/client.ts': 1,
  'panel/app/errors.ts': 2,
  'panel/app/retry.ts': 1,
  'panel/editor/draft-errors.ts': 1,
  'panel/editor/draft.ts': 3, // and the name that begins the path of a collision
  // The event stream, which the client does not read: the type is that of the list.
  'panel/activity/live.ts': 1,
  // Values, fields, entries and parts that blueprints and extensions define.
  'panel/editor/conflict-dialog.tsx': 1,
  'panel/extensions/element.ts': 2,
  'panel/extensions/part.tsx': 1,
  'panel/extensions/parts.ts': 1,
  'panel/fields/blocks/block-value.ts': 2,
  'panel/fields/field.ts': 1,
  'panel/fields/picker/picker-field.tsx': 1,
  'panel/fields/picker/sources.ts': 1,
  'panel/fields/registry.ts': 1,
  // No answers of the client: the clipboard, the text editor, the URL, the routes of the panel, a file of texts, a value
  // as text, a number that is computed, an API that browsers may lack.
  'panel/app/routes.tsx': 2,
  'panel/app/shell/shell.tsx': 1,
  'panel/comments/page-comments.tsx': 1,
  'panel/fields/blocks/clipboard.ts': 1,
  'panel/fields/rich/link-hint.tsx': 1,
  'panel/fields/rich/linking.tsx': 1,
  'panel/files/route.ts': 1,
  'panel/files/same-file.ts': 1,
  'panel/files/orientation.ts': 1,
  'panel/texts/texts.ts': 1,
  // `Object.fromEntries` and `replace` lose the names.
  'panel/app/ui-texts.ts': 1,
  'panel/files/parent.ts': 1,
  'panel/library/filters.tsx': 1,
}

/**
 * Casts to types, whether they are written by hand or derived, and to literals: they hide that a property was renamed.
 * `unknown` values of a map are no claim, `Object.keys` has the keys of a constant, and elements come from the browser.
 */
const castPatterns = [
  /\bdata as (?!const)/,
  /\bas unknown as\b/,
  /\bas (?:any\b|never\b|typeof\b|\{\s|['"`][/\w])/,
  /(?<!Object\.keys\(\w+\)) as (?!(?:Element|HTML\w*Element|Ref<HTML\w+>|Record<string, unknown>)(?!\w))[A-Z]\w*/,
  /(?<!Object\.keys\(\w+\)) as (?:readonly )?\w+\[\]/,
  /\bawait\b[^\n]*\) as (?!const)/,
  /\{\} as\b/,
]
const cast = new RegExp(castPatterns.map(({ source }) => source).join('|'), 'g')

/** Without comments and imports, which say `as`, too. */
const codeOf = (file: string) =>
  readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$|^import [^']*'[^']*'/gm, '')

test('the cast patterns find casts of answers', () => {
  const casts = [
    'resource.section(name, {}) as Promise<Shown>', 'client.site.files as typeof client.pages.files', 'data as Model',
    '({} as Named)', 'blueprint.tabs as Tab[]', '(site.languages ?? []) as { name: string }[]', '(await read()) as Model',
    'const { tabs } = blueprint as {\n  tabs', 'one as unknown as Other', '(caller.role as Partial<Role>).name',
    'credential as never', '{ method, credential } as Login', "`${scope}.${action}` as 'users.delete'",
  ] // prettier-ignore
  for (const text of casts) expect([text, text.match(cast)]).toEqual([text, expect.any(Array)])
  for (const text of [
    'Object.keys(parts) as Part[]',
    'value as Record<string, unknown>',
    "['a'] as const",
    'target as Element',
  ])
    expect([text, text.match(cast)]).toEqual([text, null])
})

test('the panel derives its models from the client instead of casting answers', () => {
  const casts = files
    .filter(file => file.startsWith('panel/') && !file.startsWith('panel/ui/'))
    .map(file => [file, codeOf(file).match(cast)?.length])
    .filter(([, count]) => count !== undefined)
  expect(Object.fromEntries(casts)).toEqual(allowedCasts)
})

/** Where `admin` is named for another reason than a right. */
const namesAdministrators: Readonly<Record<string, number>> = {
  // The last administrator stays.
  'src/groups/roles/api.ts': 2,
  'src/groups/users/users.ts': 1,
  'src/groups/users/view.ts': 2,
  // How many sessions it may have.
  'src/access/session/sessions.ts': 1,
}

test('rights are decided in access/authorize', () => {
  const decisions = files
    .filter(file => file.startsWith('src/') && !/^src\/(?:access\/authorize|blueprints)\//.test(file))
    .map(file => [
      file,
      readFileSync(join(root, file), 'utf8').match(/\b(?:optionForRole|decide)\(|[!=]== 'admin'/g)?.length,
    ])
    .filter(([, count]) => count !== undefined)
  expect(Object.fromEntries(decisions)).toEqual(namesAdministrators)
})

/** The files that declare each exported name. English texts of the panel are named after their screen. */
function declarationsIn(folder: string, pattern: RegExp): Record<string, string[]> {
  const filesByName = new Map<string, string[]>()
  for (const file of files.filter(name => name.startsWith(folder) && !name.startsWith('panel/texts/en/')))
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(pattern))
      filesByName.set(name, [...(filesByName.get(name) ?? []), file])
  return Object.fromEntries(filesByName)
}

const declaredTwice = (declarations: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(declarations).filter(([, declaredIn]) => declaredIn.length > 1))

// `= queries.TrashRow` is another path to the same type.
const exportedTypes = /^export (?:type|interface|class) (\w+)\b(?! = queries\.)/gm
const exportedValues = /^export (?:async )?(?:function\*?|const|let) (\w+)/gm

test.each(['src/', 'panel/'])('an exported type of %s has a name of its own', folder => {
  const declarations = declarationsIn(folder, exportedTypes)
  expect(Object.keys(declarations).length).toBeGreaterThan(100)
  expect(declaredTwice(declarations)).toEqual({})
})

test('an exported function or constant of the panel has a name of its own', () => {
  const declarations = declarationsIn('panel/', exportedValues)
  expect(Object.keys(declarations).length).toBeGreaterThan(500)
  expect(declaredTwice(declarations)).toEqual({})
})

test('the diagram of the architecture has the modules and their folders in order', () => {
  const [, diagram = ''] =
    /```\n(platform\/[^`]*)```/.exec(readFileSync(join(root, 'docs/architecture.md'), 'utf8')) ?? []
  const lines = diagram.split('\n').filter(line => /^\w/.test(line))
  const entries = Object.entries(modules).filter(([module]) => module !== 'main')
  expect(lines.map(line => /^(\w+)\/ /.exec(line)?.[1] ?? '')).toEqual(entries.map(([module]) => module))
  for (const [at, [module, parts]] of entries.entries()) {
    const words: string[] = lines[at]!.replace(`${module}/`, '').match(/[\w-]+/g) ?? []
    // Files beside the folders of a module may be left out of the picture.
    const isFolder = (part: string) => files.some(file => file.startsWith(`${join('src', module, part)}/`))
    const named = parts.filter(part => part !== '*' && (isFolder(part) || words.includes(part)))
    expect(
      words.filter((word, index) => named.includes(word) && words.indexOf(word) === index),
      `the folders of ${module}`,
    ).toEqual(named)
  }
})

const codeIn = (document: string) =>
  [...readFileSync(join(root, document), 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

test('file paths and code names in the documents exist', () => {
  const sources = globSync('{src,client,panel,elements,test,tools,bench}/**/*.{ts,tsx,json}', { cwd: root })
  const names = new Set(sources.flatMap(file => readFileSync(join(root, file), 'utf8').match(/[A-Za-z_]\w*/g) ?? []))
  const exists = (path: string) => sources.some(file => `/${file}`.includes(`/${path.replace(/\/$/, '')}`))
  for (const document of ['docs/architecture.md', 'docs/glossary.md'])
    for (const code of codeIn(document)) {
      if (/^[A-Za-z]\w*$/.test(code)) expect(names, `${document}: ${code}`).toContain(code)
      else if (/^[\w-]+(?:\/[\w-]+)*(?:\/|\.tsx?)$|^[\w-]+(?:\/[\w-]+)+$/.test(code))
        expect(exists(code), `${document}: ${code}`).toBe(true)
    }
  for (const document of ['CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })])
    for (const code of codeIn(document).filter(text => /^(?:src|client|panel|test|tools|bench)\/[\w./-]+$/.test(text)))
      if (!code.endsWith('.md')) expect(exists(code), `${document}: ${code}`).toBe(true)
})
