import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'

/**
 * A link element, without children, for a path from the API (`/pages/notes+first`, `/site`). Undefined for external
 * URLs. A page or the site is opened in the present content language, or in the given one.
 */
export function linkTo(address: string, language?: string): ReactElement<Record<string, unknown>> | undefined {
  const [group, id, files, filename] = address.split(/[?#]/, 1)[0]!.split('/').filter(Boolean).map(decode)
  if (group === 'site' && id === 'files' && files)
    return <Link to="/site/files/$filename" params={{ filename: files }} />
  if (group === 'account' && id === 'files' && files)
    return <Link to="/users/$id/files/$filename" params={{ id: group, filename: files }} />
  if (group === 'account') return <Link to="/account" />
  const search = language === undefined ? {} : { search: { language } }
  if (group === 'site') return <Link to="/site" {...search} />
  if (group === 'pages' && id && files === 'files' && filename)
    return <Link to="/pages/$id/files/$filename" params={{ id, filename }} />
  if (group === 'pages' && id) return <Link to="/pages/$id" params={{ id }} {...search} />
  if (group === 'users' && id && files === 'files' && filename)
    return <Link to="/users/$id/files/$filename" params={{ id, filename }} />
  if (group === 'users' && id) return <Link to="/users/$id" params={{ id }} />
  return group === 'users' ? <Link to="/users" /> : undefined
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
