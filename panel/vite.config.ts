import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

type Modules = Rolldown.ChunkingContext

const inPanel = (path: string) => join(import.meta.dirname, path)
/** Loaded by name: they are files of their own. */
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
/** Besides the screen of a page: small files that most pages load right afterwards. */
const usedByForms = [
  'pages/screen.tsx',
  'app/shell/language-switch.tsx',
  'app/shell/user-menu.tsx',
  'fields/structure/structure-field.tsx',
  'ui/drawer.tsx',
]
const reached = new Map<string, ReadonlySet<string>>()

/** Everything that a file cannot do without. */
function reachedFrom(path: string, modules: Modules): ReadonlySet<string> {
  const known = reached.get(path)
  if (known) return known
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
 * Of what several screens share: `shell` is drawn first, `frame` is the router and what it needs, `controls` is needed by the sign-in, too,
 * and `form` by the screen of a page. `main` is needed before anything else; all else is cut where it is loaded on demand.
 */
function groupOf(id: string, modules: Modules): string | null {
  const isIn = (path: string) => reachedFrom(path, modules).has(id)
  if (entries.has(id) || id.endsWith('.css')) return null
  if (isIn('main.tsx')) return 'main'
  const isShared = isIn('app/app.tsx') || usedByForms.some(isIn)
  if (isIn('signin/signin.tsx')) return isIn('app/shell/early-shell.tsx') ? 'main' : isShared ? 'controls' : null
  if (isIn('app/shell/early-shell.tsx')) return 'shell'
  if (isIn('app/app.tsx')) return 'frame'
  if (isShared) return 'form'
  // One file for all: else each pair of screens that share an icon would have one.
  return isIcon.test(id) ? 'icons' : null
}

/**
 * Imports every icon from its own file. Through the index of the package each screen would reach all icons, and the first
 * file of the panel would hold those of all screens.
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

/** Writes into the page which files the shell consists of: `public/early.js` loads them for those who are signed in. */
const appFiles: Plugin = {
  name: 'app-files',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const found = new Set<string>()
      const add = (name: string) => {
        const chunk = bundle[name]
        if (found.has(name) || chunk?.type !== 'chunk') return
        found.add(name)
        for (const imported of chunk.imports) add(imported)
      }
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith('/panel/app/shell/early-shell.tsx'))
          add(chunk.fileName)
      const names = [...found].filter(name => !html.includes(name))
      return html.replace('name="quoin-app" content=""', `name="quoin-app" content="${names.join(' ')}"`)
    },
  },
}

/** Read by `tools/panel.ts`. Addresses are relative: the server knows below which path it serves them. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [iconFiles, react(), tailwindcss(), appFiles],
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
        // What seldom changes stays apart from what often does. Everything else is cut where it is loaded on demand.
        // Small files cost a round trip each: what the same screens need stands together.
        codeSplitting: {
          // The groups say themselves what belongs to them.
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
