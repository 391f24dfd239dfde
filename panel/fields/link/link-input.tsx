import { useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { lazy, type Ref, Suspense, use, useState } from 'react'
import { t, textOf } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { useGroup } from '../../ui/control.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Input } from '../../ui/input.tsx'
import { Select } from '../../ui/select.tsx'
import { EditedContentContext } from '../form-contexts.ts'
import { allFiles, type PickerEntry, fileSource, pageSource } from '../picker/sources.ts'
import { uploadTargetOf } from '../picker/upload.ts'
import { kindOf, linkKinds, type LinkKind, defaultKinds } from './kinds.ts'
import { LinkTarget } from './link-target.tsx'
import { cacheReference } from './references.ts'

const PickerDialog = lazy(async () => ({ default: (await import('../picker/picker-dialog.tsx')).PickerDialog }))

interface Props {
  value: string
  /** `entry` is the chosen page or file. */
  onChange: (link: string, entry?: PickerEntry) => void
  /** The kinds of links to offer. */
  offered?: readonly LinkKind[] | undefined
  placeholder?: string | undefined
  disabled?: boolean | undefined
  /** The input, or the button that opens the picker. */
  ref?: Ref<HTMLElement | null> | undefined
}

/** A link: a select for its kind, and an input or picker for its target. */
export function LinkInput({ value, onChange, offered = defaultKinds, placeholder, disabled, ref }: Props) {
  const { model, language } = use(EditedContentContext)
  const queryClient = useQueryClient()
  const { id, ...field } = useGroup({})
  const found = kindOf(value)
  const [chosen, setChosen] = useState(found ?? offered[0]!)
  const [isOpen, setOpen] = useState(false)
  // The kind follows from the typed value if that is unambiguous; otherwise it is the selected kind.
  const isOpenYet = found === undefined || (found === 'custom' && linkKinds[chosen].prefix === '')
  const kind = isOpenYet ? chosen : found
  const { begin, prefix, example } = linkKinds[kind]
  const shownKinds = offered.includes(kind) ? offered : [...offered, kind]
  const isReference = kind === 'page' || kind === 'file'

  function choose(next: LinkKind | null) {
    if (next === null || next === kind) return
    setChosen(next)
    onChange('')
    if (next === 'page' || next === 'file') setOpen(true)
  }

  function type(text: string) {
    if (text === '') setChosen(kind)
    onChange(text === '' ? '' : begin.test(text) && kind !== 'custom' ? text : prefix + text)
  }

  return (
    <div className="flex flex-wrap gap-2">
      {shownKinds.length > 1 && (
        <div className="w-40 max-sm:w-full">
          <Select
            aria-label={t('fields.link.kind')}
            id={`${id ?? 'link'}-kind`}
            value={kind}
            onChange={choose}
            options={shownKinds.map(name => ({ value: name, text: textOf(linkKinds[name].text) ?? name }))}
            disabled={disabled}
          />
        </div>
      )}
      <div className="flex min-w-0 flex-1 basis-40 gap-1">
        {isReference ? (
          <>
            <Button
              id={id}
              // The label of the field and the chosen entry.
              aria-labelledby={id && `${field['aria-labelledby']} ${id}`}
              aria-describedby={field['aria-describedby']}
              ref={ref as Ref<HTMLButtonElement>}
              className="min-w-0 flex-1 justify-start!"
              disabled={disabled}
              onClick={() => setOpen(true)}
            >
              {value === '' ? (
                <span className="text-faint">
                  {t(kind === 'page' ? 'fields.link.choose.page' : 'fields.link.choose.file')}
                </span>
              ) : (
                <LinkTarget link={value} />
              )}
            </Button>
            {value !== '' && !disabled && (
              <IconButton
                icon={X}
                label={t('fields.clear')}
                onClick={() => {
                  setChosen(kind)
                  onChange('')
                }}
              />
            )}
          </>
        ) : (
          <Input
            ref={ref as Ref<HTMLInputElement>}
            value={prefix === '' ? value : value.replace(begin, '')}
            onChange={type}
            type={kind === 'email' ? 'email' : kind === 'tel' ? 'tel' : 'text'}
            placeholder={placeholder ?? example}
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
            all={kind === 'file' ? allFiles() : undefined}
            place={kind === 'file' ? uploadTargetOf(undefined, model) : undefined}
            canBrowseChildren={kind === 'page'}
            chosen={[]}
            multiple={false}
            onChoose={([entry]) => {
              if (entry) cacheReference(queryClient, entry, language)
              onChange(entry?.uuid ?? '', entry)
            }}
            onClose={() => setOpen(false)}
            language={language}
          />
        </Suspense>
      )}
    </div>
  )
}
