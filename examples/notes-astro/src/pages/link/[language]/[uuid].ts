import type { APIRoute } from 'astro'
import { connect } from '../../../cms.ts'

/** Links in texts name pages by uuid. */
export const GET: APIRoute = async ({ params, redirect }) => {
  const cms = connect()
  const path = await cms.linked(params['uuid'] ?? '', params['language'])
  return path === undefined ? new Response('Not found\n', { status: 404 }) : redirect(path, 302)
}
