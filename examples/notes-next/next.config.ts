import { join } from 'node:path'
import type { NextConfig } from 'next'

const cms = new URL(process.env['QUOIN_URL'] ?? 'http://127.0.0.1:4080')

export default {
  // In this repository `quoin` is a link to the sources. With the published package, leave these two settings out.
  turbopack: { root: join(import.meta.dirname, '../..') },
  transpilePackages: ['quoin'],

  // Only the panel may show this site in a frame.
  headers: async () => [
    { source: '/:path*', headers: [{ key: 'content-security-policy', value: `frame-ancestors 'self' ${cms.origin}` }] },
  ],

  // Preview links have a pass in the query: this route turns on the draft mode.
  redirects: async () => [
    {
      source: '/:path((?!api/).*)',
      has: [{ type: 'query', key: 'preview' }],
      destination: '/api/preview?path=/:path',
      permanent: false,
    },
  ],
} satisfies NextConfig
