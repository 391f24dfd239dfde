import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { FileParent } from './parent.ts'

type Bare = ReactElement<Record<string, unknown>>

/** The way to a file, without contents: for whatever draws links. */
export function fileLink(parent: FileParent, filename: string): Bare {
  if (parent.kind === 'site') return <Link to="/site/files/$filename" params={{ filename }} />
  const params = { id: parent.id, filename }
  if (parent.kind === 'page') return <Link to="/pages/$id/files/$filename" params={params} />
  return <Link to="/users/$id/files/$filename" params={params} />
}

/** The way to all of them. */
export function filesLink(parent: FileParent): Bare {
  if (parent.kind === 'site') return <Link to="/site/files" />
  const params = { id: parent.id }
  return parent.kind === 'page' ? (
    <Link to="/pages/$id/files" params={params} />
  ) : (
    <Link to="/users/$id/files" params={params} />
  )
}

/** The way to what they belong to. */
export function parentLink(parent: FileParent): Bare {
  if (parent.kind === 'site') return <Link to="/site" />
  const params = { id: parent.id }
  return parent.kind === 'page' ? <Link to="/pages/$id" params={params} /> : <Link to="/users/$id" params={params} />
}

export const usersLink = (): Bare => <Link to="/users" />
