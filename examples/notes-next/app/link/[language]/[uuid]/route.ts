import { notFound, redirect } from 'next/navigation'
import { connect } from '../../../../src/cms.ts'

interface Context {
  params: Promise<{ language: string; uuid: string }>
}

/** Links in texts name pages by uuid. */
export async function GET(_request: Request, { params }: Context): Promise<never> {
  const { language, uuid } = await params
  const path = await connect().linked(uuid, language)
  if (path === undefined) notFound()
  redirect(path)
}
