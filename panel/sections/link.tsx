import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'

/**
 * A link element, without children, for a path from the API (`/pages/notes+first`, `/site`). Undefined for external
 * URLs.
 */
export function linkTo(address: string): ReactElement<Record<string, unknown>> | undefined {
  const [noun, id, files, filename] = address.split(/[?#]/, 1)[0]!.split('/').filter(Boolean).map(decoded)
  if (noun === 'site' && id === 'files' && files)
    return <Link to="/site/files/$filename" params={{ filename: files }} />
  if (noun === 'account' && id === 'files' && files)
    return <Link to="/users/$id/files/$filename" params={{ id: noun, filename: files }} />
  if (noun === 'account') return <Link to="/account" />
  if (noun === 'site') return <Link to="/site" />
  if (noun === 'pages' && id && files === 'files' && filename)
    return <Link to="/pages/$id/files/$filename" params={{ id, filename }} />
  if (noun === 'pages' && id) return <Link to="/pages/$id" params={{ id }} />
  if (noun === 'users' && id && files === 'files' && filename)
    return <Link to="/users/$id/files/$filename" params={{ id, filename }} />
  if (noun === 'users' && id) return <Link to="/users/$id" params={{ id }} />
  return noun === 'users' ? <Link to="/users" /> : undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
