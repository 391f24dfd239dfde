import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** Programs, what `import … from 'quoin'` is, and threads. Nothing else of the server is found by its path. */
const entries = ['src/main', 'src/index', 'src/platform/media/blob-writer', 'src/platform/store/sqlite-thread']

/** Loaded when they are needed, or with native parts: they stay packages of their own. */
const external = [
  '@fastify/busboy',
  '@node-rs/bcrypt',
  '@simplewebauthn/server',
  'file-type',
  'marked',
  'nodemailer',
  'otpauth',
  'pg',
  's3mini',
  'sanitize-html',
  'sharp',
  'yaml',
]

const root = join(import.meta.dirname, '..')

/**
 * Bundles the server with the packages that every start needs: reading a thousand modules takes longer than
 * everything else that a start does, and each one takes memory.
 */
export async function bundleServer(target: string): Promise<void> {
  const bundled = new Set<string>()
  const vite = await import('vite')
  await vite.build({
    configFile: false,
    envDir: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external },
    plugins: [
      {
        name: 'server',
        // As if each module had a file of its own: some read files beside them, or start themselves as a thread.
        transform(code, id) {
          const path = relative(join(root, 'src'), id).replaceAll(sep, '/').replace(/\.ts$/, '.js')
          if (path.startsWith('..') || !code.includes('import.meta.')) return undefined
          return code
            .replaceAll('import.meta.url', `new URL('../${path}', import.meta.url).href`)
            .replaceAll('import.meta.dirname', `(import.meta.dirname + '/../${dirname(path)}')`)
            .replaceAll('import.meta.filename', `(import.meta.dirname + '/../${path}')`)
        },
        generateBundle(_options, output) {
          for (const chunk of Object.values(output))
            for (const id of chunk.type === 'chunk' ? chunk.moduleIds : []) {
              const folder = packageFolder(id)
              if (folder !== undefined) bundled.add(folder)
            }
        },
      },
    ],
    build: {
      ssr: true,
      outDir: target,
      emptyOutDir: false,
      target: 'esnext',
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(entries.map(name => [name, join(root, `${name}.ts`)])),
        output: { entryFileNames: '[name].js', chunkFileNames: 'src/chunks/[name]-[hash].js', comments: false },
      },
    },
  })
  writeFileSync(join(target, 'THIRD-PARTY-LICENCES'), [...bundled].toSorted().map(licenceOf).join('\n'))
}

/** The folder of the package that a module belongs to; undefined if it is one of ours. */
function packageFolder(id: string): string | undefined {
  const path = id.replace(/^\0/, '').replace(/\?.*/, '').replaceAll(sep, '/')
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0]
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = globSync('{LICENSE,LICENCE,License,license}*', { cwd: folder })[0]
  const text = file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : ''
  return `${name} ${version} (${license})\n\n${text.trim()}\n`
}
