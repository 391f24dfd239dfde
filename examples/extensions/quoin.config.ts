import { defineConfig } from 'quoin'
import { isbn } from './isbn/isbn.ts'

/** All examples in one site; `test/extensions.test.ts` starts it. */
export default defineConfig({ extensions: [isbn()] })
