import { base } from './base.ts'
import { useSession } from './session.ts'

/** The preview URL. Undefined if it leads to this server and `site.url` is not set: Quoin itself renders no pages. */
export function usePreview(url: string | null): string | undefined {
  const { system } = useSession()
  if (url === null) return undefined
  const own = location.origin + base
  const isOwn = url === own || url.startsWith(`${own}/`) || url.startsWith(`${own}?`)
  return isOwn && system.siteUrl == null ? undefined : url
}
