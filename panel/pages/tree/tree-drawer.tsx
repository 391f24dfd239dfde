import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../app/client.ts'
import { useContentLanguage } from '../../app/language.ts'
import { useSession } from '../../app/session.ts'
import { t } from '../../texts/texts.ts'
import { Drawer } from '../../ui/drawer.tsx'
import { toast } from '../../ui/toast.ts'
import type { TreePlace } from '../../ui/tree-rows.ts'
import { toId } from '../id.ts'
import { toastMoved } from '../moved.ts'
import { refreshPages } from '../page-query.ts'
import { prefetchPage } from '../prefetch.ts'
import { type TreePage, parentOf, acceptsTemplate, topQuery } from './nodes.ts'
import { PageTree } from './page-tree.tsx'
import { isWithin, refusalOf } from './refusal.ts'

interface Props {
  /** The path of the current page. */
  selected?: string | undefined
  onClose: () => void
}

interface Move {
  leaf: TreePage
  place: TreePlace
  target: TreePage
}

/** All pages of the site, to navigate, move and sort them. */
export function TreeDrawer({ selected, onClose }: Props) {
  const { code: language } = useContentLanguage()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [announcement, setAnnouncement] = useState('')
  const { data: top } = useQuery(topQuery)
  const { system } = useSession()
  const open = (id: string) => navigate({ to: '/pages/$id', params: { id }, replace: true })
  const { mutateAsync } = useMutation({
    scope: { id: 'tree' },
    mutationKey: ['tree'],
    mutationFn: moveLeaf,
    onSuccess: ({ path, revision }, { leaf, place, target }) => {
      const title = t(`pages.tree.moved.${place}`, { title: leaf.title, target: target.title })
      setAnnouncement(title)
      if (leaf.id === selected && path !== leaf.id) void open(toId(path))
      toastMoved({ title, before: leaf, path, revision, open })
    },
    onSettled: () => refreshPages(queryClient),
  })

  return (
    <Drawer side="start" size="narrow" title={t('pages.tree')} onClose={onClose} open>
      <p className="pb-3 text-sm text-muted max-sm:hidden">{t('pages.tree.help')}</p>
      <PageTree
        label={t('pages.tree')}
        language={language}
        selected={selected}
        className="-mx-3 h-[calc(100dvh-9rem)]"
        onHover={leaf => void prefetchPage(queryClient, toId(leaf.id), language)}
        onSelect={leaf => {
          onClose()
          if (leaf) void navigate({ to: '/pages/$id', params: { id: toId(leaf.id) } })
        }}
        canMove={(leaf, place, target, parent) => canMove(leaf, place, target, parent ? parent.acceptedTemplates : top)}
        onRefused={(leaf, place, target, above) => {
          const root = { title: system.title ?? '', acceptedTemplates: top }
          void toastRefusal({ leaf, place, target }, place === 'inside' ? target : (above ?? root))
        }}
        onMove={async (leaf, place, target) => (await mutateAsync({ leaf, place, target })).path}
      />
      <span role="status" className="sr-only">
        {announcement}
      </span>
    </Drawer>
  )
}

/**
 * Sorting among siblings requires that both pages are sortable. Moving to another parent requires the permission and an
 * accepted template.
 */
function canMove(
  leaf: TreePage,
  place: TreePlace,
  target: TreePage,
  besides: TreePage['acceptedTemplates'] | undefined,
): boolean {
  if (isWithin(target.id, leaf.id)) return false
  const into = place === 'inside' ? target.id : parentOf(target.id)
  if (into !== parentOf(leaf.id))
    return (
      leaf.options['move'] === true &&
      acceptsTemplate(place === 'inside' ? target.acceptedTemplates : besides, leaf.template)
    )
  return place !== 'inside' && leaf.isSortable && target.isSortable
}

async function toastRefusal(move: Move, parent: Parameters<typeof refusalOf>[0]): Promise<void> {
  toast({ title: await reasonOf(move, parent) })
}

/** Why `canMove` does not allow a move. */
async function reasonOf({ leaf, place, target }: Move, parent: Parameters<typeof refusalOf>[0]): Promise<string> {
  if (isWithin(target.id, leaf.id)) return t('pages.move.within')
  const into = place === 'inside' ? target.id : parentOf(target.id)
  if (into === parentOf(leaf.id)) return place === 'inside' ? t('pages.move.already') : t('pages.tree.unsorted')
  const denied = t('pages.move.denied', { title: leaf.title })
  if (leaf.options['move'] !== true) return denied
  const { title } = await readType(leaf).catch(() => ({ title: leaf.template }))
  return refusalOf(parent, leaf.template, title) ?? denied
}

const readType = async ({ id }: TreePage) =>
  (await client.pages.get({ id: toId(id), select: { blueprint: ['title'] } })).blueprint

/** Moves a page to another parent, another position, or both. Resolves to its new path and revision. */
async function moveLeaf({ leaf, place, target }: Move): Promise<{ path: string; revision: number }> {
  const into = place === 'inside' ? target.id : parentOf(target.id)
  let path = leaf.id
  let revision: number | undefined
  const isElsewhere = into !== parentOf(leaf.id)
  if (isElsewhere) {
    const moved = { id: toId(path), select: ['id', 'revision'] as const }
    ;({ id: path, revision } = await client.pages.move(moved, { parent: into === '' ? null : into }))
  }
  if (place !== 'inside' && leaf.isSortable && target.isSortable) {
    const [{ num: there }, { num: here }] = await Promise.all([
      client.pages.get({ id: toId(target.id), select: ['num'] }),
      client.pages.get({ id: toId(path), select: ['num'] }),
    ])
    if (there !== null && there !== undefined) {
      // The page leaves its old position, so the pages behind it move up by one.
      const isBehind = here !== null && here !== undefined && here < there
      const position = place === 'before' ? there - (isBehind ? 1 : 0) : there + (isBehind ? 0 : 1)
      const sorted = { id: toId(path), select: ['revision'] as const }
      ;({ revision } = await client.pages.changeStatus(sorted, { status: 'listed', position }))
    }
  }
  revision ??= (await client.pages.get({ id: toId(path), select: ['revision'] })).revision
  return { path, revision }
}
