import { defineConfig } from 'quoin'
import { isbn } from './isbn/isbn.ts'
import { newsletter } from './newsletter/newsletter.ts'
import { searchPush } from './search-push/search-push.ts'

/** All examples in one site; `test/extensions.test.ts` starts it. */
export default defineConfig({
  extensions: [
    isbn(),
    newsletter({ url: 'https://www.example.org/newsletter', templates: ['note'] }),
    searchPush({ url: 'https://search.example.org/indexes/pages', key: 'secret' }),
  ],
})
