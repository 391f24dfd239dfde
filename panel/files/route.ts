import { useQuery } from '@tanstack/react-query'
import { useMatches } from '@tanstack/react-router'
import { client } from '../app/client.ts'
import type { Crumb } from '../ui/breadcrumb.tsx'
import { t } from '../texts/texts.ts'
import { filesLink, parentLink, usersLink } from './link.tsx'
import { type FileParent, keyOf } from './parent.ts'

/** The parent and the filename in the URL of a file screen. */
export function useFileRoute(): { parent: FileParent; filename: string } {
  const { routeId, params } = useMatches({ select: matches => matches.at(-1)! })
  const { id = '', filename = '' } = params as { id?: string; filename?: string }
  const kind = routeId.startsWith('/site') ? 'site' : routeId.startsWith('/pages') ? 'page' : 'user'
  return { parent: kind === 'site' ? { kind } : { kind, id }, filename }
}

/** The breadcrumb down to all files of the parent. */
export function useFileBreadcrumb(parent: FileParent): Crumb[] {
  const { data } = useQuery({
    queryKey: ['files', keyOf(parent), 'title'],
    queryFn: () => titleOf(parent),
    staleTime: 60_000,
  })
  const first = { text: t('nav.site'), render: parentLink({ kind: 'site' }) }
  const own = { text: data ?? '…', render: parentLink(parent) }
  return [
    ...(parent.kind === 'user' ? [{ text: t('nav.users'), render: usersLink() }] : [first]),
    ...(parent.kind === 'site' ? [] : [own]),
    { text: t('files.title'), render: filesLink(parent) },
  ]
}

async function titleOf(parent: FileParent): Promise<string> {
  if (parent.kind === 'site') return ''
  if (parent.kind === 'page') return (await client.pages.get({ id: parent.id, select: ['title'] })).title
  return (await client.users.get({ id: parent.id, select: ['username'] })).username
}
