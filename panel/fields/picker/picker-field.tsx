import { FileText, Image, Plus, Upload, User, X } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { errorText } from '../../app/errors.ts'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { ListItem } from '../../ui/list-item.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { Sortable } from '../../ui/sortable.tsx'
import { toast } from '../../ui/toast.ts'
import { type FieldProps, numberIn, textIn } from '../field.ts'
import { entriesIn } from './entries.ts'
import { isSame, PickerDialog } from './picker-dialog.tsx'
import { type Entry, fileSource, pageSource, type PickerType, userSource } from './sources.ts'
import { Thumb } from './thumb.tsx'
import { placeOf, upload } from './upload.ts'

const icons = { files: Image, pages: FileText, users: User }

/** Files, pages or people that a field refers to. */
export function PickerField({ field, value, onChange, disabled, model, language }: FieldProps<readonly unknown[]>) {
  const type = field.type as PickerType
  const entries = entriesIn(value)
  const multiple = field['multiple'] !== false
  const max = multiple ? numberIn(field.max) : 1
  const tiles = field['layout'] === 'cards' || field['layout'] === 'cardlets'
  const [isOpen, setOpen] = useState(false)
  const [isOver, setOver] = useState(false)
  const [sending, setSending] = useState<{ name: string; part: number }>()
  const input = useRef<HTMLInputElement>(null)
  const place = type === 'files' && !disabled ? placeOf(field['uploads'], model) : undefined
  const source =
    type === 'files'
      ? fileSource(field['query'] ?? textIn(field['parent']), model)
      : type === 'pages'
        ? pageSource(field['query'], model, language)
        : userSource(field['query'], model)
  const full = max !== undefined && entries.length >= max

  async function bring(files: readonly File[]) {
    if (!place) return
    let next = entries
    for (const file of multiple ? files : files.slice(0, 1)) {
      setSending({ name: file.name, part: 0 })
      try {
        const entry = await upload(file, place, part => setSending({ name: file.name, part }))
        next = multiple ? [...next.filter(one => !isSame(one, entry)), entry].slice(0, max) : [entry]
        onChange(next)
      } catch (error) {
        toast({ tone: 'danger', title: file.name, text: errorText(error) })
      }
    }
    setSending(undefined)
  }

  function dragged(event: DragEvent<HTMLDivElement>) {
    if (!place || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(event.type === 'dragover')
    if (event.type === 'drop') void bring([...event.dataTransfer.files])
  }

  const remove = (entry: Entry) => onChange(entries.filter(one => !isSame(one, entry)))
  const choose = !disabled && (
    <Button size="small" icon={Plus} onClick={() => setOpen(true)} disabled={multiple && full}>
      {t('fields.picker.add')}
    </Button>
  )
  const uploader = place && (
    <>
      <Button
        size="small"
        icon={Upload}
        onClick={() => input.current?.click()}
        disabled={sending !== undefined || (multiple && full)}
      >
        {t('fields.picker.upload')}
      </Button>
      <input
        ref={input}
        type="file"
        tabIndex={-1}
        aria-hidden="true"
        className="hidden"
        multiple={multiple}
        accept={place.accept}
        onChange={event => {
          void bring([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </>
  )

  return (
    <div
      className={cx('rounded-md border border-line-strong bg-surface', isOver && 'border-accent bg-accent-soft')}
      onDragOver={dragged}
      onDragLeave={dragged}
      onDrop={dragged}
    >
      {entries.length === 0 ? (
        <Empty
          type={type}
          text={isOver ? t('fields.picker.dropped') : (textIn(field['empty']) ?? t(`fields.picker.empty.${type}`))}
        >
          {choose}
          {uploader}
        </Empty>
      ) : (
        <>
          <Sortable
            items={entries}
            keyOf={entry => entry.uuid ?? entry.id}
            nameOf={entry => entry.text}
            onChange={onChange}
            disabled={disabled || entries.length < 2}
            layout={tiles ? 'tiles' : 'rows'}
            className={tiles ? 'grid grid-cols-2 gap-3 p-3 sm:grid-cols-3 lg:grid-cols-4' : 'divide-y'}
          >
            {(entry, { handle }) => {
              const removal = !disabled && (
                <IconButton
                  size="small"
                  icon={X}
                  label={t('fields.picker.remove', { name: entry.text })}
                  onClick={() => remove(entry)}
                />
              )
              if (!tiles)
                return (
                  <ListItem
                    title={entry.text}
                    info={entry.info}
                    before={handle}
                    image={<Thumb entry={entry} type={type} />}
                    after={removal}
                  />
                )

              return (
                <div className="rounded-md border">
                  <Thumb entry={entry} type={type} size="large" />
                  <div className="flex items-center gap-0.5 p-1">
                    {handle}
                    <span className="min-w-0 flex-1 truncate px-1 text-sm">{entry.text}</span>
                    {removal}
                  </div>
                </div>
              )
            }}
          </Sortable>
          {!disabled && (
            <div className="flex flex-wrap gap-2 border-t p-2">
              {choose}
              {uploader}
            </div>
          )}
        </>
      )}
      {sending && (
        <div className="border-t px-3 py-2">
          <p className="mb-1.5 truncate text-sm text-muted" role="status">
            {t('fields.picker.uploading', { name: sending.name })}
          </p>
          <ProgressBar value={sending.part} label={t('fields.picker.uploading', { name: sending.name })} />
        </div>
      )}
      {isOpen && (
        <PickerDialog
          type={type}
          source={source}
          chosen={entries}
          onChoose={onChange}
          onClose={() => setOpen(false)}
          multiple={multiple}
          max={max}
          search={field['search'] !== false}
          language={language}
        />
      )}
    </div>
  )
}

function Empty({ type, text, children }: { type: PickerType; text: string; children: ReactNode }) {
  const Icon = icons[type]

  return (
    <div className="flex min-h-12 flex-wrap items-center gap-2 px-3 py-2">
      <Icon aria-hidden="true" className="text-faint" />
      <span className="me-auto text-muted">{text}</span>
      {children}
    </div>
  )
}
