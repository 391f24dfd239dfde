import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, minify, type Plugin, type Rolldown } from 'vite'

type Modules = Rolldown.ChunkingContext

const inPanel = (path: string) => join(import.meta.dirname, path)
/** Loaded by name, so each is a chunk of its own. */
const entries = new Set(
  [
    'main.tsx',
    'app/app.tsx',
    'fields/structure/structure-field.tsx',
    'app/shell/early-shell.tsx',
    'pages/screen.tsx',
    'signin/signin.tsx',
  ].map(inPanel),
)
const isIcon = /node_modules[\\/]lucide-react[\\/]/
/** The page screen, and small files that most pages load right after it. */
const usedByForms = [
  'pages/screen.tsx',
  'app/shell/language-switch.tsx',
  'app/shell/user-menu.tsx',
  'fields/structure/structure-field.tsx',
  'ui/drawer.tsx',
]
/** Most pages load these after the form, when a field needs them. */
const editors = ['fields/blocks/block-list.tsx', 'fields/rich/rich-editor.tsx']
const reached = new Map<string, ReadonlySet<string>>()

/** All modules that a file imports statically, directly or indirectly. */
function reachedFrom(path: string, modules: Modules): ReadonlySet<string> {
  const cached = reached.get(path)
  if (cached) return cached
  const found = new Set<string>()
  const walk = (id: string) => {
    if (found.has(id)) return
    found.add(id)
    for (const next of modules.getModuleInfo(id)?.importedIds ?? []) walk(next)
  }
  walk(inPanel(path))
  reached.set(path, found)
  return found
}

/**
 * The chunk of a shared module. `main` is needed first; `shell` is rendered first; `frame` is the router and its
 * dependencies; `login` is needed by the sign-in form, and `controls` by both it and the screens; `form` is needed by
 * the page screen. Other modules are split at dynamic imports.
 */
function groupOf(id: string, modules: Modules): string | null {
  const isIn = (path: string) => reachedFrom(path, modules).has(id)
  if (entries.has(id) || id.endsWith('.css')) return null
  if (isIn('main.tsx')) return 'main'
  // An icon of an editor is not worth loading the sign-in form, or the icons of all other screens, for.
  const isOfEditor = isIcon.test(id) && editors.some(isIn)
  const isShared = isIn('app/app.tsx') || usedByForms.some(isIn) || isOfEditor
  if (isIn('signin/signin.tsx')) return isIn('app/shell/early-shell.tsx') ? 'main' : isShared ? 'controls' : 'login'
  if (isIn('app/shell/early-shell.tsx')) return 'shell'
  if (isIn('app/app.tsx')) return 'frame'
  if (isShared) return 'form'
  // A single chunk for all other icons. Otherwise each pair of screens that share an icon would get its own.
  return isIcon.test(id) ? 'icons' : null
}

/**
 * Imports every icon from its own file. Through the index of the package, each screen would depend on all icons, and
 * the first chunk of the panel would contain the icons of all screens.
 */
const iconFiles: Plugin = {
  name: 'icon-files',
  enforce: 'pre',
  transform: {
    filter: { code: /from 'lucide-react'/, id: /\.tsx?$/ },
    handler: code =>
      code.replaceAll(/import \{([^}]*)\} from 'lucide-react'/g, (_, names: string) =>
        names
          .split(',')
          .map(name => name.trim())
          .filter(name => name !== '' && !name.startsWith('type '))
          .map(name => {
            const [exported, local = exported] = name.split(' as ')
            return `import ${local} from ${JSON.stringify(iconFile(exported!))}`
          })
          .join('\n'),
      ),
  },
}

const iconIndex = fileURLToPath(import.meta.resolve('lucide-react')).replace(
  /cjs[\\/]lucide-react\.js$/,
  'esm/lucide-react.mjs',
)
const iconNames = readFileSync(iconIndex, 'utf8')

function iconFile(name: string): string {
  const [, file] = new RegExp(`default as ${name}\\b[^}]*\\} from '([^']+)'`).exec(iconNames) ?? []
  if (file === undefined) throw new Error(`lucide-react has no icon ${name}`)
  return join(dirname(iconIndex), file)
}

/** Writes the names of the chunks of the shell and of the sign-in form into the HTML, so that `early.js` can preload them. */
const firstFiles: Plugin = {
  name: 'first-files',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const filesOf = (...modules: string[]) => {
        const found = new Set<string>()
        const add = (name: string) => {
          const chunk = bundle[name]
          if (found.has(name) || chunk?.type !== 'chunk') return
          found.add(name)
          for (const imported of chunk.imports) add(imported)
        }
        for (const chunk of Object.values(bundle))
          if (chunk.type === 'chunk' && modules.some(module => chunk.moduleIds.includes(inPanel(module))))
            add(chunk.fileName)
        return [...found].filter(name => !html.includes(name)).join(' ')
      }
      return html
        .replace('name="quoin-app" content=""', `name="quoin-app" content="${filesOf('app/shell/early-shell.tsx')}"`)
        .replace(
          'name="quoin-signin" content=""',
          `name="quoin-signin" content="${filesOf('signin/signin.tsx', 'texts/en/signin.ts')}"`,
        )
    },
  },
}

/** Writes `early.js` into the HTML: as a file of its own, it would delay the first API requests by a round trip. */
const earlyScript: Plugin = {
  name: 'early-script',
  transformIndexHtml: {
    order: 'pre',
    async handler(html) {
      const { code } = await minify('early.js', readFileSync(inPanel('early.js'), 'utf8'))
      return html.replace('<script vite-ignore src="./early.js"></script>', () => `<script>${code}</script>`)
    },
  },
}

/** Used by `tools/panel.ts`. URLs are relative, because the server may serve the panel under a base path. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [iconFiles, react(), tailwindcss(), earlyScript, firstFiles],
  build: {
    outDir: join(import.meta.dirname, '../dist/panel'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // Chunks separate code that rarely changes from code that often does. Modules that the same screens need share
        // a chunk, because every small file costs a round trip.
        codeSplitting: {
          // `groupOf` decides about every module itself.
          includeDependenciesRecursively: false,
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 2 },
            { name: groupOf, debugName: 'shared', priority: 1 },
          ],
        },
      },
    },
  },
})
