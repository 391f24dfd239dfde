import type { APIRoute } from 'astro'
import { Webhook } from 'standardwebhooks'

/** The CMS calls this when content has changed: every page is rendered again at its next visit. */
export const POST: APIRoute = async ({ request, cache }) => {
  try {
    new Webhook(process.env['WEBHOOK_SECRET'] ?? '').verify(await request.text(), Object.fromEntries(request.headers))
  } catch {
    return new Response('The signature is wrong.\n', { status: 401 })
  }
  await cache.invalidate({ tags: ['content'] })
  return new Response(null, { status: 204 })
}
