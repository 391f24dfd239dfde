import type { APIRoute } from 'astro'
import { connect } from '../../../cms.ts'

/** Links in texts contain the uuid of a page: redirects to the path of this page. */
export const GET: APIRoute = async ({ params, redirect }) => {
  const cms = connect()
  const path = await cms.linked(params['uuid'] ?? '', params['language'])
  return path === undefined ? new Response('Not found\n', { status: 404 }) : redirect(path, 302)
}
