import { defineConfig, loadEnv } from 'vite'
import { renderPages } from './src/pages.ts'
import { pagesFrom } from './src/plugin.ts'
import { connect } from './src/site.ts'

/** The token stays here, on the machine that builds: visitors get pages, and pictures from the site. */
export default defineConfig(({ mode }) => {
  const root = import.meta.dirname
  const { SITE_URL: url = 'http://127.0.0.1:4080', SITE_TOKEN: token } = loadEnv(mode, root, 'SITE_')
  const connection = connect({ url, token })
  return {
    root,
    appType: 'custom',
    plugins: [pagesFrom(() => renderPages(connection))],
    build: { outDir: 'dist', emptyOutDir: true },
  }
})
