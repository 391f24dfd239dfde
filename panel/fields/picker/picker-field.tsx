import { Plus, X } from 'lucide-react'
import { type DragEvent, type ReactNode, use, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { ListItem } from '../../ui/list-item.tsx'
import { Sortable } from '../../ui/sortable.tsx'
import { type FieldProps, numberIn, textIn } from '../field.ts'
import { FieldPath } from '../path.ts'
import { entriesIn, isSame } from './entries.ts'
import { PickerDialog } from './picker-dialog.tsx'
import { icons } from './picker-list.tsx'
import { Sending } from './sending.tsx'
import { allFilesFor, type PickerEntry, fieldSource, canBrowseChildren, type PickerType } from './sources.ts'
import { EntryThumb } from './thumb.tsx'
import { uploadTargetOf } from './upload.ts'
import { PickerUploadButton } from './upload-button.tsx'
import { usePickerUploads } from './use-uploads.ts'

/** As many columns as fit into the width of the field. */
const widths: Readonly<Record<string, string>> = {
  tiny: 'grid-cols-[repeat(auto-fill,minmax(min(8rem,100%),1fr))]',
  small: 'grid-cols-[repeat(auto-fill,minmax(min(10rem,100%),1fr))]',
  auto: 'grid-cols-[repeat(auto-fill,minmax(min(12rem,100%),1fr))]',
  medium: 'grid-cols-[repeat(auto-fill,minmax(min(14rem,100%),1fr))]',
  large: 'grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))]',
  huge: 'grid-cols-[repeat(auto-fill,minmax(min(24rem,100%),1fr))]',
}

/** Positioned over the image. Visible on hover or focus, and always on touch devices. */
const above =
  'absolute start-1.5 top-1.5 z-10 rounded-md border bg-surface opacity-0 transition-opacity group-hover:opacity-100 has-[:focus-visible]:opacity-100 pointer-coarse:opacity-100'

/** A field that refers to files, pages or accounts. */
export function PickerField({ field, value, onChange, disabled, model, language }: FieldProps<readonly unknown[]>) {
  const type = field.type as PickerType
  const entries = entriesIn(value)
  const multiple = field['multiple'] !== false
  const max = multiple ? numberIn(field.max) : 1
  const tiles = field['layout'] === 'cards' || field['layout'] === 'cardlets'
  const [isOpen, setOpen] = useState(false)
  const [isOver, setOver] = useState(false)
  const place = type === 'files' && !disabled ? uploadTargetOf(field['uploads'], model) : undefined
  const { sending, send } = usePickerUploads(place)
  const source = fieldSource(model, use(FieldPath), type === 'files' ? field : undefined)
  const full = max !== undefined && entries.length >= max

  function uploadAll(files: readonly File[]) {
    let next = entries
    void send(multiple ? files : files.slice(0, 1), entry => {
      next = multiple ? [...next.filter(other => !isSame(other, entry)), entry].slice(0, max) : [entry]
      onChange(next)
    })
  }

  function dragged(event: DragEvent<HTMLDivElement>) {
    if (!place || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(event.type === 'dragover')
    if (event.type === 'drop') uploadAll([...event.dataTransfer.files])
  }

  const remove = (entry: PickerEntry) => onChange(entries.filter(other => !isSame(other, entry)))
  const choose = !disabled && (
    <Button size="small" icon={Plus} onClick={() => setOpen(true)} disabled={multiple && full}>
      {t('fields.picker.add')}
    </Button>
  )
  const uploader = place && (
    <PickerUploadButton
      onFiles={uploadAll}
      accept={place.accept}
      multiple={multiple}
      disabled={sending !== undefined || (multiple && full)}
    />
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
            className={
              tiles ? cx('grid gap-3 p-3', widths[textIn(field['size']) ?? 'auto'] ?? widths['auto']) : 'divide-y'
            }
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
                    image={<EntryThumb entry={entry} type={type} />}
                    after={removal}
                  />
                )

              return (
                <div className="group relative flex h-full flex-col overflow-hidden rounded-md border bg-surface">
                  <EntryThumb entry={entry} type={type} size="large" />
                  {handle && <div className={above}>{handle}</div>}
                  <div className="flex flex-1 items-start gap-1 border-t py-1 ps-3 pe-1">
                    <div className="min-w-0 flex-1 py-1.5">
                      <p className="line-clamp-2 text-sm font-medium wrap-anywhere" title={entry.text}>
                        {entry.text}
                      </p>
                      {entry.info && <p className="truncate text-sm text-muted">{entry.info}</p>}
                    </div>
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
      {sending && <Sending {...sending} />}
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
          canBrowseChildren={type === 'pages' && canBrowseChildren(field)}
          language={language}
          all={type === 'files' ? allFilesFor(field) : undefined}
          place={place}
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
