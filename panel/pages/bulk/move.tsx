import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../app/client.ts'
import { useSession } from '../../app/session.ts'
import { SubmitDialog } from '../../app/submit-dialog.tsx'
import { clearDrafts } from '../../editor/open-drafts.ts'
import { t } from '../../texts/texts.ts'
import { moveBack } from '../moved.ts'
import { pageIdOf, uuidIdOf } from '../page.ts'
import { parentOf, topQuery, type TreePage } from '../tree/nodes.ts'
import { PageTree } from '../tree/page-tree.tsx'
import { isWithin, refusalOf } from '../tree/refusal.ts'
import type { BulkFormProps } from './props.ts'
import type { BulkOperation, SelectedPage } from './use-bulk-operation.ts'
import { useOnePagePerTemplate } from './one-page-per-template.ts'

export function BulkMove({ title, pages, language, onClose, onStart }: BulkFormProps) {
  const { system } = useSession()
  const { data: samples } = useOnePagePerTemplate(pages, language)
  const { data: top } = useQuery(topQuery)
  const [chosen, setChosen] = useState<string>()
  const [refused, setRefused] = useState('')
  const site = system.title ?? ''
  const isPublic = pages.some(({ status }) => status !== 'draft')

  /** A parent can be chosen if it takes any of the pages; the others are refused one by one. */
  function reasonOf(into: TreePage | undefined): string | undefined {
    if (!samples || (!into && top === undefined)) return ''
    const reasons = pages.map(page => reasonFor(page, into))
    return reasons.includes(undefined) ? undefined : reasons[0]
  }

  function reasonFor({ id, template }: SelectedPage, into: TreePage | undefined): string | undefined {
    if ((into?.id ?? '') === parentOf(id)) return t('pages.move.already')
    if (into && isWithin(into.id, id)) return t('pages.move.within')
    const type = samples?.find(sample => sample.template === template)?.blueprint.title ?? template
    return refusalOf(into ?? { title: site, acceptedTemplates: top }, template, type)
  }

  const operation: BulkOperation = async page => {
    if (chosen === undefined || parentOf(page.id) === chosen) return { isUnchanged: true }
    const { id: path, revision } = await client.pages.move(
      { id: uuidIdOf(page), select: ['id', 'revision'] },
      { parent: chosen === '' ? null : chosen, revision: page.revision },
    )
    clearDrafts(`/pages/${pageIdOf(page)}`)
    return {
      path,
      undo: async () => {
        await moveBack(page, path, revision)
        clearDrafts(`/pages/${pageIdOf({ id: path })}`)
      },
    }
  }

  return (
    <SubmitDialog
      title={title}
      description={t('pages.move.text')}
      confirm={t('pages.move.confirm')}
      busy={false}
      disabled={chosen === undefined}
      disablePointerDismissal
      onClose={onClose}
      onSubmit={() => onStart(operation)}
    >
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
      <p role="status" className="text-sm text-muted">
        {refused || (chosen !== undefined && isPublic && t('pages.effect.redirected'))}
      </p>
    </SubmitDialog>
  )
}
