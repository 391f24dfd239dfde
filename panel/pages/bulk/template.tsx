import { useState } from 'react'
import { client } from '../../app/client.ts'
import { SubmitDialog } from '../../app/submit-dialog.tsx'
import { t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { uuidIdOf } from '../page.ts'
import type { BulkFormProps } from './props.ts'
import type { BulkOperation } from './use-bulk-operation.ts'
import { useOnePagePerTemplate } from './one-page-per-template.ts'

export function BulkTemplate({ title, pages, language, onClose, onStart }: BulkFormProps) {
  const { data: samples, error } = useOnePagePerTemplate(pages, language)
  const [template, setTemplate] = useState<string>()
  const offered = new Map(samples?.flatMap(({ blueprints }) => blueprints.map(({ name, title: text }) => [name, text])))
  // A page is offered its own template, too.
  const isPossible = samples?.some(page => page.blueprints.some(({ name }) => name !== page.template)) ?? false

  const operation: BulkOperation = async page => {
    if (template === undefined || page.template === template) return { isUnchanged: true }
    await client.pages.changeTemplate({ id: uuidIdOf(page) }, { template, revision: page.revision })
    return {}
  }

  return (
    <SubmitDialog
      title={title}
      confirm={t('pages.template.confirm')}
      busy={false}
      disabled={template === undefined}
      error={error}
      onClose={onClose}
      onSubmit={() => onStart(operation)}
    >
      {!samples && !error && <Skeleton lines={2} />}
      {samples && !isPossible && <p className="text-muted">{t('bulk.template.none')}</p>}
      {isPossible && (
        <>
          <Field label={t('pages.template')} group="radiogroup">
            <RadioGroup
              value={template ?? null}
              onChange={setTemplate}
              options={[...offered].map(([value, text]) => ({ value, text }))}
            />
          </Field>
          <Notice tone="info">{t('pages.template.text')}</Notice>
        </>
      )}
    </SubmitDialog>
  )
}
