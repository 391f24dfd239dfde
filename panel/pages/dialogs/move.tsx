import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../app/client.ts'
import { useSession } from '../../app/session.ts'
import { clearDrafts } from '../../editor/open-drafts.ts'
import { t } from '../../texts/texts.ts'
import { toId } from '../id.ts'
import { idOf } from '../page.ts'
import { toastMoved } from '../moved.ts'
import { type TreePage, parentOf, acceptsTemplate, topQuery } from '../tree/nodes.ts'
import { PageTree } from '../tree/page-tree.tsx'
import type { PageDialogProps } from './props.ts'
import { FormDialog } from './form-dialog.tsx'

/** Moves a page into another one, chosen in the tree. */
export function MoveDialog({ page, language, onClose, onMoved }: PageDialogProps) {
  const { system } = useSession()
  const navigate = useNavigate()
  const open = (id: string) => navigate({ to: '/pages/$id', params: { id }, replace: true })
  const now = parentOf(page.id)
  const [chosen, setChosen] = useState(now)
  const [leaf, setLeaf] = useState<TreePage>()
  const { data: top } = useQuery(topQuery)
  const isOffered = (into: TreePage | undefined) =>
    (into?.id ?? '') === now || acceptsTemplate(into ? into.acceptedTemplates : top, page.template)
  const isWithin = chosen === page.id || chosen.startsWith(`${page.id}/`)
  return (
    <FormDialog
      title={t('pages.move.title', { title: page.title })}
      description={t('pages.move.text')}
      confirm={t('pages.move.confirm')}
      disabled={chosen === now || isWithin || !isOffered(leaf)}
      onClose={onClose}
      run={() =>
        client.pages.move(
          { id: idOf(page), select: ['id', 'revision'] },
          { parent: chosen === '' ? null : chosen, revision: page.revision },
        )
      }
      onDone={({ id, revision }) => {
        clearDrafts(`/pages/${idOf(page)}`)
        toastMoved({ title: t('pages.moved', { title: page.title }), before: page, path: id, revision, open })
        onMoved?.(toId(id))
      }}
    >
      {() => (
        <>
          <PageTree
            label={t('pages.move.where')}
            root={system.title ?? ''}
            language={language}
            selected={chosen}
            isOffered={isOffered}
            onSelect={into => {
              setLeaf(into)
              setChosen(into?.id ?? '')
            }}
            className="h-[min(24rem,50dvh)] rounded-md border p-1"
          />
          <p role="status" className="text-sm text-muted">
            {isWithin
              ? t('pages.move.within')
              : t('pages.move.to', { address: `${chosen === '' ? '' : `/${chosen}`}/${page.slug}` })}
          </p>
        </>
      )}
    </FormDialog>
  )
}
