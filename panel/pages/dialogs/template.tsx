import { useState } from 'react'
import { client } from '../../app/client.ts'
import { t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { toast } from '../../ui/toast.ts'
import { pageIdOf } from '../page.ts'
import type { PageDialogProps } from './props.ts'
import { FormDialog } from './form-dialog.tsx'

export function PageTemplateDialog({ page, onClose }: PageDialogProps) {
  const [template, setTemplate] = useState(page.template)
  return (
    <FormDialog
      title={t('pages.template.change')}
      confirm={t('pages.template.confirm')}
      disabled={template === page.template}
      onClose={onClose}
      run={() => client.pages.changeTemplate({ id: pageIdOf(page) }, { template, revision: page.revision })}
      onDone={() => toast({ tone: 'good', title: t('pages.template.changed') })}
    >
      {errors => (
        <>
          <Field label={t('pages.template')} group="radiogroup" error={errors['template']}>
            <RadioGroup
              value={template}
              onChange={setTemplate}
              options={page.blueprints.map(({ name, title }) => ({ value: name, text: title }))}
            />
          </Field>
          <Notice tone="info">{t('pages.template.text')}</Notice>
        </>
      )}
    </FormDialog>
  )
}
