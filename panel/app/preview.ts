import { base } from './base.ts'
import { useSession } from './session.ts'

/** The address of a preview, unless it leads to this server, which shows no pages: that is so until a front end is configured. */
export function usePreview(url: string | null): string | undefined {
  const { system } = useSession()
  if (url === null) return undefined
  const own = location.origin + base
  const isOwn = url === own || url.startsWith(`${own}/`) || url.startsWith(`${own}?`)
  return isOwn && system.frontEnd !== true ? undefined : url
}
