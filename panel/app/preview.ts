import { base } from './base.ts'
import { useSession } from './session.ts'

/** The preview URL. Undefined if it leads to this server and `site.url` is not set: Quoin itself renders no pages. */
export function usePreviewUrl(url: string | null): string | undefined {
  const { system } = useSession()
  if (url === null) return undefined
  const serverUrl = location.origin + base
  const isOnServer = url === serverUrl || url.startsWith(`${serverUrl}/`) || url.startsWith(`${serverUrl}?`)
  return isOnServer && system.siteUrl == null ? undefined : url
}
