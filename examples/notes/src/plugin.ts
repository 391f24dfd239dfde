import type { ServerResponse } from 'node:http'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'

/** HTML pages by their paths. */
type Pages = ReadonlyMap<string, string>

/** Lets Vite serve and build generated pages. During development they are generated again for every request. */
export function pagesFrom(read: () => Promise<Pages>): Plugin {
  let root = ''
  let pages: Pages = new Map()
  const fileOf = (path: string) => join(root, path, 'index.html')
  const pageIn = (file: string) => pages.get(`/${relative(root, file).replace(/index\.html$/, '')}`)

  return {
    name: 'pages',
    async config({ root: viteRoot = '.' }, { command }) {
      root = viteRoot
      if (command !== 'build') return {}
      pages = await read()
      return { build: { rolldownOptions: { input: [...pages.keys()].map(fileOf) } } }
    },
    resolveId: id => (pageIn(id) === undefined ? undefined : id),
    load: id => pageIn(id),
    configureServer(server) {
      const show = async (path: string, response: ServerResponse, next: (error?: unknown) => void) => {
        try {
          const page = path.endsWith('/') ? (await read()).get(path) : undefined
          if (page === undefined) return next()
          response.setHeader('content-type', 'text/html; charset=utf-8')
          response.end(await server.transformIndexHtml(path, page))
        } catch (error) {
          next(error)
        }
      }
      server.middlewares.use(
        (request, response, next) => void show(request.url?.split('?', 1)[0] ?? '/', response, next),
      )
    },
  }
}
