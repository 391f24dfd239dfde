import { revalidateTag } from 'next/cache'
import { Webhook } from 'standardwebhooks'

/** The CMS calls this when content has changed: every page is rendered again at its next visit. */
export async function POST(request: Request): Promise<Response> {
  try {
    new Webhook(process.env['WEBHOOK_SECRET'] ?? '').verify(await request.text(), Object.fromEntries(request.headers))
  } catch {
    return new Response('The signature is wrong.\n', { status: 401 })
  }
  revalidateTag('content', { expire: 0 })
  return new Response(null, { status: 204 })
}
