import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { FileParent } from './parent.ts'

type Bare = ReactElement<Record<string, unknown>>

/** A link to a file, without children, for components that take a link element. */
export function fileLink(parent: FileParent, filename: string): Bare {
  if (parent.kind === 'site') return <Link to="/site/files/$filename" params={{ filename }} />
  const params = { id: parent.id, filename }
  if (parent.kind === 'page') return <Link to="/pages/$id/files/$filename" params={params} />
  return <Link to="/users/$id/files/$filename" params={params} />
}

/** A link to all files of the parent. */
export function filesLink(parent: FileParent): Bare {
  if (parent.kind === 'site') return <Link to="/site/files" />
  const params = { id: parent.id }
  return parent.kind === 'page' ? (
    <Link to="/pages/$id/files" params={params} />
  ) : (
    <Link to="/users/$id/files" params={params} />
  )
}

/** A link to the parent. */
export function parentLink(parent: FileParent): Bare {
  if (parent.kind === 'site') return <Link to="/site" />
  const params = { id: parent.id }
  return parent.kind === 'page' ? <Link to="/pages/$id" params={params} /> : <Link to="/users/$id" params={params} />
}

export const usersLink = (): Bare => <Link to="/users" />
