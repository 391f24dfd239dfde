import { notFound, redirect } from 'next/navigation'
import { connect } from '../../../../src/cms.ts'

interface Context {
  params: Promise<{ language: string; uuid: string }>
}

/** Links in texts contain the uuid of a page: redirects to the path of this page. */
export async function GET(_request: Request, { params }: Context): Promise<never> {
  const { language, uuid } = await params
  const path = await connect().linked(uuid, language)
  if (path === undefined) notFound()
  redirect(path)
}
