import { useState } from 'react'
import { client } from '../../app/client.ts'
import { SubmitDialog } from '../../app/submit-dialog.tsx'
import { t } from '../../texts/texts.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { type Status, uuidIdOf } from '../page.ts'
import type { BulkFormProps } from './props.ts'
import type { BulkOperation } from './use-bulk-operation.ts'
import { statusesOf, useOnePagePerTemplate } from './one-page-per-template.ts'

export function BulkStatus({ title, pages, language, onClose, onStart }: BulkFormProps) {
  const [chosen, setChosen] = useState<Status>()
  const [isAlong, setAlong] = useState(true)
  const canPublish = chosen !== undefined && chosen !== 'draft' && pages.some(page => page.hasChanges)

  const offered = statusesOf(useOnePagePerTemplate(pages, language))

  const operation: BulkOperation = async (page, selected) => {
    const id = uuidIdOf(page)
    const { status, num } = page
    if (chosen === undefined || status === chosen) return { isUnchanged: true }
    const { revision } = await client.pages.changeStatus(
      { id, language, select: ['revision'] },
      {
        status: chosen,
        revision: page.revision,
        ...(canPublish && isAlong && selected.hasChanges && { publishChanges: true }),
      },
    )
    const position = num === null ? {} : { position: num }
    return { undo: () => client.pages.changeStatus({ id }, { status, revision, ...position }) }
  }

  return (
    <SubmitDialog
      title={title}
      confirm={t('pages.status.confirm')}
      busy={false}
      disabled={chosen === undefined}
      onClose={onClose}
      onSubmit={() => onStart(operation)}
    >
      <Field label={t('pages.status')} group="radiogroup">
        <RadioGroup<Status> value={chosen ?? null} onChange={setChosen} options={offered} />
      </Field>
      {chosen === 'draft' && <Gone titles={pages.flatMap(page => (page.status === 'draft' ? [] : page.title))} />}
      {canPublish && <Checkbox label={t('bulk.status.withChanges')} value={isAlong} onChange={setAlong} />}
    </SubmitDialog>
  )
}

const maxTitles = 8

/** The pages that visitors no longer find. */
function Gone({ titles }: { titles: readonly string[] }) {
  const left = titles.length - maxTitles
  if (titles.length === 0) return null
  return (
    <Notice tone="warn" title={t('pages.effect.gone')}>
      <ul className="list-disc ps-5">
        {titles.slice(0, maxTitles).map((title, index) => (
          <li key={index}>{title}</li>
        ))}
        {left > 0 && <li>{t('pages.tree.more', { count: left })}</li>}
      </ul>
    </Notice>
  )
}
