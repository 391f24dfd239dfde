import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, test } from 'vitest'

test('quoin/preview has at most 1.5 kB and no dependency', async () => {
  const entry = join(import.meta.dirname, '../preview/preview.ts')
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    // Without this everything that is imported would be part of the module, and would count.
    build: { write: false, minify: true, lib: { entry, formats: ['es'] }, rolldownOptions: { external: /^[^./]/ } },
  })
  const chunks = (Array.isArray(built) ? built : [built]).flatMap(one => ('output' in one ? one.output : []))
  expect(chunks).toHaveLength(1)
  const [chunk] = chunks
  if (chunk?.type !== 'chunk') throw new Error('no chunk')
  expect(chunk.exports.toSorted()).toEqual(['editable', 'preview'])
  expect([chunk.imports, chunk.dynamicImports]).toEqual([[], []])
  expect(gzipSync(chunk.code).length).toBeLessThanOrEqual(1500)
})
