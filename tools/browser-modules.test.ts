/** What runs in browsers must be small, and must contain nothing of the server. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, test } from 'vitest'

test.each([
  { name: 'quoin/preview', file: 'preview/preview.ts', exports: ['editable', 'preview'], maxBytes: 1500 },
  {
    name: 'quoin/client',
    file: 'client/client.ts',
    exports: ['QuoinError', 'createClient', 'createClientFor', 'fileForm', 'isBroken'],
    maxBytes: 4000,
  },
])('$name has at most $maxBytes bytes (gzip) and no dependency', async ({ file, exports, maxBytes }) => {
  const root = join(import.meta.dirname, '..')
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      lib: { entry: join(root, file), formats: ['es'] },
      // Without this everything that is imported would be part of the module, and would count.
      rolldownOptions: { external: /^[^./]/ },
    },
  })
  const chunks = (Array.isArray(built) ? built : [built]).flatMap(one => ('output' in one ? one.output : []))
  expect(chunks).toHaveLength(1)
  const [chunk] = chunks
  if (chunk?.type !== 'chunk') throw new Error('no chunk')
  expect(chunk.exports.toSorted()).toEqual(exports)
  expect([chunk.imports, chunk.dynamicImports]).toEqual([[], []])
  expect(Object.keys(chunk.modules).filter(module => module.startsWith(join(root, 'src')))).toEqual([])
  expect(gzipSync(chunk.code).length).toBeLessThanOrEqual(maxBytes)
})
