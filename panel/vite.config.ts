import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

type Modules = Rolldown.ChunkingContext

const inPanel = (path: string) => join(import.meta.dirname, path)
/** Loaded by name: they are files of their own. */
const entries = new Set(['app/app.tsx', 'pages/screen.tsx', 'signin/signin.tsx'].map(inPanel))
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
 * Of what several screens share: `frame` is needed by the shell, `controls` by the sign-in, too, and `form` by the screen of a page.
 * What the page needs before anything else stays in its own file; all else is cut where it is loaded on demand.
 */
function groupOf(id: string, modules: Modules): string | null {
  const isIn = (path: string) => reachedFrom(path, modules).has(id)
  if (isIn('main.tsx') || entries.has(id) || id.endsWith('.css')) return null
  const isShared = isIn('app/app.tsx') || isIn('pages/screen.tsx')
  if (isIn('signin/signin.tsx')) return isShared ? 'controls' : null
  if (isIn('app/app.tsx')) return 'frame'
  return isShared ? 'form' : null
}

/** Writes into the page which files the panel itself consists of: `public/early.js` loads them for those who are signed in. */
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
        if (chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith('/panel/app/app.tsx')) add(chunk.fileName)
      const names = [...found].filter(name => !html.includes(name))
      return html.replace('name="quoin-app" content=""', `name="quoin-app" content="${names.join(' ')}"`)
    },
  },
}

/** Read by `tools/panel.ts`. Addresses are relative: the server knows below which path it serves them. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), tailwindcss(), appFiles],
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
            {
              name: 'icons',
              test: /node_modules[\\/]lucide-react[\\/]/,
              priority: 2,
            },
            { name: groupOf, debugName: 'shared', priority: 1 },
          ],
        },
      },
    },
  },
})
