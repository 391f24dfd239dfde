import { cookies, draftMode } from 'next/headers'
import { redirect } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { passCookie } from '../../../src/draft.ts'

/** Turns on the draft mode with a pass, and shows the page. Without a pass it turns the draft mode off. */
export async function GET({ nextUrl: { searchParams } }: NextRequest): Promise<never> {
  const pass = searchParams.get('preview')
  const path = searchParams.get('path') ?? '/'
  const draft = await draftMode()
  const jar = await cookies()
  if (pass === null) {
    draft.disable()
    jar.delete(passCookie)
  } else {
    draft.enable()
    // As Next's own cookie: in the frame of a panel on another site, only such cookies are sent.
    const isSecure = process.env.NODE_ENV === 'production'
    jar.set(passCookie, pass, { httpOnly: true, secure: isSecure, sameSite: isSecure ? 'none' : 'lax', path: '/' })
  }
  // Only to this site: `//other.example` would lead to another one.
  redirect(/^\/(?![/\\])/.test(path) ? path : '/')
}
