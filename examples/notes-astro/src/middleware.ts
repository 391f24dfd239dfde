import { defineMiddleware } from 'astro:middleware'
import { cmsUrl } from './cms.ts'

/** Only the panel may show this site in a frame. */
export const onRequest = defineMiddleware(async (_context, next) => {
  const response = await next()
  response.headers.set('content-security-policy', `frame-ancestors 'self' ${new URL(cmsUrl).origin}`)
  return response
})
