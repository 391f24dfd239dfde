import { useState } from 'react'
import { t } from '../texts/texts.ts'
import { Select } from '../ui/select.tsx'
import { Composer } from './composer.tsx'
import type { Comments } from './use-comments.ts'

interface Props {
  comments: Comments
  /** The path of the field that is selected at first. */
  field: string
  labels: Readonly<Record<string, string>>
  nameOf: (path: string) => string
}

/** Begins a thread about the page or a field. */
export function NewThread({ comments, field, labels, nameOf }: Props) {
  const [about, setAbout] = useState(field)
  const paths = ['', ...Object.keys(labels), ...(field === '' || field in labels ? [] : [field])]
  return (
    <Composer
      name={`${comments.id} ${field}`}
      label={t('comments.text')}
      placeholder={t('comments.text.placeholder')}
      confirm={t('comments.add')}
      extraControls={
        <Select
          aria-label={t('comments.about')}
          className="min-w-0 flex-1"
          value={about}
          onChange={value => setAbout(value ?? '')}
          options={paths.map(value => ({ value, text: nameOf(value) }))}
        />
      }
      onSend={text => comments.add(text, about)}
    />
  )
}
