import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { client } from '../app/client.ts'
import { t, textOf } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/input.tsx'
import { Select } from '../ui/select.tsx'
import { type FieldProps, textIn, textsIn } from './field.ts'
import { type Entry, fileSource, pageSource } from './picker/sources.ts'

const PickerDialog = lazy(async () => ({ default: (await import('./picker/picker-dialog.tsx')).PickerDialog }))

type Kind = 'url' | 'page' | 'file' | 'email' | 'tel' | 'anchor' | 'custom'

const kinds: Readonly<Record<Kind, { begin: RegExp; prefix: string; text: string; example?: string }>> = {
  url: { begin: /^(?:https?|ftp):\/\//i, prefix: '', text: 'fields.link.url', example: 'https://example.com' },
  page: { begin: /^(?:page:\/\/|\/@\/page\/)/, prefix: 'page://', text: 'fields.link.page' },
  file: { begin: /^(?:file:\/\/|\/@\/file\/)/, prefix: 'file://', text: 'fields.link.file' },
  email: { begin: /^mailto:/i, prefix: 'mailto:', text: 'fields.link.email', example: 'mail@example.com' },
  tel: { begin: /^tel:/i, prefix: 'tel:', text: 'fields.link.tel', example: '+49123456789' },
  anchor: { begin: /^#/, prefix: '#', text: 'fields.link.anchor', example: 'contact' },
  custom: { begin: /^/, prefix: '', text: 'fields.link.custom' },
}

const usual: readonly Kind[] = ['url', 'page', 'file', 'email', 'tel', 'anchor']

/** Where something leads: the kind is chosen, the rest is typed or picked. */
export function LinkField({ field, value = '', onChange, disabled, model, language }: FieldProps<string>) {
  const named = textsIn(field['options']).filter((name): name is Kind => name in kinds)
  const offered = named.length > 0 ? named : usual
  const found = value === '' ? undefined : [...usual, 'custom' as const].find(kind => kinds[kind].begin.test(value))
  const [chosen, setChosen] = useState<Kind>()
  const [isOpen, setOpen] = useState(false)
  const [picked, setPicked] = useState<Entry>()
  // What is typed decides, once it can be told; before that what was chosen does.
  const kind = (value === '' || found === 'custom' ? chosen : found) ?? found ?? offered[0]!
  const { begin, prefix, example } = kinds[kind]
  const rest = prefix === '' ? value : value.replace(begin, '')
  const shown = offered.includes(kind) ? offered : [...offered, kind]

  function choose(next: Kind | null) {
    if (next === null || next === kind) return
    setChosen(next)
    onChange('')
    if (next === 'page' || next === 'file') setOpen(true)
  }

  return (
    <div className="flex flex-wrap gap-2">
      <div className="w-40 max-sm:w-full">
        <Select
          aria-label={t('fields.link.kind')}
          id={`${field.name ?? 'link'}-kind`}
          value={kind}
          onChange={choose}
          options={shown.map(name => ({ value: name, text: textOf(kinds[name].text) ?? name }))}
          disabled={disabled}
        />
      </div>
      <div className="min-w-0 flex-1">
        {kind === 'page' || kind === 'file' ? (
          <Button className="w-full justify-start!" disabled={disabled} onClick={() => setOpen(true)}>
            <Target value={value} kind={kind} picked={picked} />
          </Button>
        ) : (
          <Input
            value={rest}
            onChange={text => onChange(text === '' ? '' : begin.test(text) && kind !== 'custom' ? text : prefix + text)}
            type={kind === 'email' ? 'email' : kind === 'tel' ? 'tel' : 'text'}
            placeholder={textIn(field.placeholder) ?? example}
            before={kind === 'anchor' ? '#' : undefined}
            disabled={disabled}
            dir="ltr"
          />
        )}
      </div>
      {isOpen && (
        <Suspense>
          <PickerDialog
            type={kind === 'file' ? 'files' : 'pages'}
            source={kind === 'file' ? fileSource(model) : pageSource(language)}
            walked={kind === 'page'}
            chosen={[]}
            multiple={false}
            onChoose={([entry]) => {
              setPicked(entry)
              onChange(entry?.uuid ?? '')
            }}
            onClose={() => setOpen(false)}
            language={language}
          />
        </Suspense>
      )}
    </div>
  )
}

/** What a reference leads to, by its title where it can be found. */
function Target({ value, kind, picked }: { value: string; kind: 'page' | 'file'; picked: Entry | undefined }) {
  const uuid = value.replace(kinds[kind].begin, '')
  const { data } = useQuery({
    queryKey: ['link', value],
    queryFn: () => client.pages.get({ id: `@${uuid}`, select: ['title'] }) as Promise<{ title?: string }>,
    enabled: kind === 'page' && uuid !== '',
    retry: false,
  })
  if (value === '')
    return (
      <span className="text-faint">{t(kind === 'page' ? 'fields.link.choose.page' : 'fields.link.choose.file')}</span>
    )
  const known = picked?.uuid === value ? picked.text : undefined
  return <span className="block truncate">{data?.title ?? known ?? value}</span>
}
