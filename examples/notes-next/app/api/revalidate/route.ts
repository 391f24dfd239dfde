import { revalidateTag } from 'next/cache'
import { Webhook } from 'standardwebhooks'

/** The CMS calls this when content has changed: every page is rendered again at its next visit. */
export async function POST(request: Request): Promise<Response> {
  const secret = process.env['WEBHOOK_SECRET']
  if (!secret) return new Response('WEBHOOK_SECRET is not set.\n', { status: 500 })
  try {
    new Webhook(secret).verify(await request.text(), Object.fromEntries(request.headers))
  } catch {
    return new Response('Invalid signature.\n', { status: 401 })
  }
  revalidateTag('content', { expire: 0 })
  return new Response(null, { status: 204 })
}
