import node from '@astrojs/node'
import { defineConfig, memoryCache } from 'astro/config'

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  // Pages are kept until the webhook says that content has changed.
  cache: { provider: memoryCache() },
  // The webhook is called by a server, which sends no Origin. Its signature is what counts.
  security: { checkOrigin: false },
})
