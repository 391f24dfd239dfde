import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../app/client.ts'
import { useSession } from '../../app/session.ts'
import { clearDrafts } from '../../editor/open-drafts.ts'
import { t } from '../../texts/texts.ts'
import { toId } from '../id.ts'
import { pageIdOf } from '../page.ts'
import { useMovedAddresses } from '../addresses.ts'
import { NewAddresses } from '../consequences.tsx'
import { toastMoved } from '../moved.ts'
import { type TreePage, parentOf, topQuery } from '../tree/nodes.ts'
import { PageTree } from '../tree/page-tree.tsx'
import { isWithin, refusalOf } from '../tree/refusal.ts'
import type { PageDialogProps } from './props.ts'
import { FormDialog } from './form-dialog.tsx'

/** Moves a page into another one, chosen in the tree. */
export function MoveDialog({ page, language, onClose, onMoved }: PageDialogProps) {
  const { system } = useSession()
  const navigate = useNavigate()
  const open = (id: string) => navigate({ to: '/pages/$id', params: { id }, replace: true })
  const now = parentOf(page.id)
  const [chosen, setChosen] = useState(now)
  const [refused, setRefused] = useState('')
  const { data: top } = useQuery(topQuery)
  const addresses = useMovedAddresses(page, chosen)
  const site = system.title ?? ''

  function reasonOf(into: TreePage | undefined): string | undefined {
    if ((into?.id ?? '') === now) return undefined
    if (into && isWithin(into.id, page.id)) return t('pages.move.within')
    if (!into && top === undefined) return ''
    return refusalOf(into ?? { title: site, acceptedTemplates: top }, page.template, page.blueprint.title)
  }

  return (
    <FormDialog
      title={t('pages.move.title', { title: page.title })}
      description={t('pages.move.text')}
      confirm={t('pages.move.confirm')}
      disabled={chosen === now}
      onClose={onClose}
      run={() =>
        client.pages.move(
          { id: pageIdOf(page), select: ['id', 'revision'] },
          { parent: chosen === '' ? null : chosen, revision: page.revision },
        )
      }
      onDone={({ id, revision }) => {
        clearDrafts(`/pages/${pageIdOf(page)}`)
        toastMoved({ title: t('pages.moved', { title: page.title }), before: page, path: id, revision, open })
        onMoved?.(toId(id))
      }}
    >
      {() => (
        <>
          <PageTree
            label={t('pages.move.where')}
            root={site}
            language={language}
            selected={chosen}
            reasonOf={reasonOf}
            onDisabled={setRefused}
            onSelect={into => {
              setRefused('')
              setChosen(into?.id ?? '')
            }}
            className="h-[min(24rem,50dvh)] rounded-md border p-1"
          />
          <div role="status" className="flex flex-col gap-2">
            {refused !== '' && <p className="text-sm text-muted">{refused}</p>}
            <NewAddresses page={page} addresses={addresses} />
          </div>
        </>
      )}
    </FormDialog>
  )
}
