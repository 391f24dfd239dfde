import { useQueryClient } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { isSame } from './entries.ts'
import { PickerList } from './picker-list.tsx'
import { Sending } from './sending.tsx'
import type { PickerEntry, PickerType, PickerSource } from './sources.ts'
import type { UploadTarget } from './upload.ts'
import { PickerUploadButton } from './upload-button.tsx'
import { usePickerUploads } from './use-uploads.ts'

interface Props {
  type: PickerType
  source: PickerSource
  chosen: readonly PickerEntry[]
  onChoose: (entries: PickerEntry[]) => void
  onClose: () => void
  multiple: boolean
  max?: number | undefined
  search?: boolean | undefined
  /** Pages can be opened to show their children. */
  canBrowseChildren?: boolean | undefined
  language: string | undefined
  /** Only for files: the files of the whole site. */
  all?: PickerSource | undefined
  /** Only for files: where new ones are uploaded. */
  place?: UploadTarget | undefined
}

type Tab = 'here' | 'all' | 'upload'

/** Selects entries by search or by browsing, or uploads them. Nothing changes until the user confirms. */
export function PickerDialog(props: Props) {
  const { type, source, all, place, onChoose, onClose, multiple, max, language } = props
  const queryClient = useQueryClient()
  const [picked, setPicked] = useState(props.chosen)
  const [typed, setTyped] = useState('')
  const [tab, setTab] = useState<Tab>('here')
  /** How often a button, not the tab itself, opened a tab: each time the focus moves. */
  const [tabSwitches, setTabSwitches] = useState(0)
  const [isDraggedOver, setDraggedOver] = useState(false)
  const { sending, send } = usePickerUploads(place)
  const body = useRef<HTMLDivElement>(null)
  const isFull = multiple && max !== undefined && picked.length >= max

  function toggle(entry: PickerEntry) {
    const isPicked = picked.some(other => isSame(other, entry))
    if (!multiple) {
      onChoose(isPicked ? [] : [entry])
      onClose()
    } else if (isPicked) setPicked(picked.filter(other => !isSame(other, entry)))
    else if (!isFull) setPicked([...picked, entry])
  }

  // The button that had the focus is gone when another tab is selected: the focus goes to the search.
  useEffect(() => {
    if (tabSwitches > 0) body.current?.querySelector<HTMLElement>('[type=search]')?.focus()
  }, [tabSwitches])

  function show(next: Tab) {
    setTab(next)
    setTabSwitches(count => count + 1)
  }

  /** Uploaded files are selected; the list shows them. */
  async function uploadAll(files: readonly File[]) {
    let count = 0
    await send(multiple ? files : files.slice(0, 1), entry => {
      count++
      if (multiple) setPicked(before => [...before.filter(other => !isSame(other, entry)), entry].slice(0, max))
      else onChoose([entry])
    })
    if (count === 0) return
    await queryClient.invalidateQueries({ queryKey: ['picker'] })
    if (!multiple) return onClose()
    show('here')
  }

  function handleDrag(event: DragEvent<HTMLDivElement>) {
    if (!place || isFull || sending || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    event.stopPropagation()
    setDraggedOver(event.type === 'dragover')
    if (event.type === 'drop') void uploadAll([...event.dataTransfer.files])
  }

  const uploader = place && (
    <PickerUploadButton
      onFiles={files => void uploadAll(files)}
      accept={place.accept}
      multiple={multiple}
      disabled={sending !== undefined || isFull}
    />
  )
  const list = (from: PickerSource) => (
    <PickerList
      key={tab}
      type={type}
      source={from}
      picked={picked}
      onToggle={toggle}
      multiple={multiple}
      full={isFull}
      searchTerm={props.search === false ? undefined : typed}
      onSearchTerm={setTyped}
      canBrowseChildren={props.canBrowseChildren ?? false}
      language={language}
      emptyAction={isSearch =>
        !isSearch
          ? uploader
          : all &&
            tab === 'here' && (
              <Button size="small" onClick={() => show('all')}>
                {t('fields.picker.elsewhere')}
              </Button>
            )
      }
    />
  )
  const tabs: { value: Tab; text: string }[] = [
    { value: 'here', text: t(`fields.picker.tab.${source.ownerKind ?? 'field'}`) },
    ...(all ? [{ value: 'all' as const, text: t('fields.picker.tab.all') }] : []),
    ...(place ? [{ value: 'upload' as const, text: t('fields.picker.upload') }] : []),
  ]

  return (
    <Dialog
      open
      flush
      title={t(`fields.picker.title.${type}`)}
      onClose={onClose}
      footer={
        multiple && (
          <>
            <span className="me-auto text-muted" role="status">
              {t('fields.picker.chosen', { count: picked.length })}
            </span>
            <Button onClick={onClose}>{t('fields.cancel')}</Button>
            <Button
              variant="primary"
              disabled={sending !== undefined}
              onClick={() => {
                onChoose([...picked])
                onClose()
              }}
            >
              {t('fields.apply')}
            </Button>
          </>
        )
      }
    >
      <div
        ref={body}
        className={cx('flex h-[min(28rem,60dvh)] flex-col', isDraggedOver && 'bg-accent-soft')}
        onDragOver={handleDrag}
        onDragLeave={handleDrag}
        onDrop={handleDrag}
      >
        {tabs.length === 1 ? (
          list(source)
        ) : (
          <Tabs flush label={t('fields.picker.tabs')} value={tab} onChange={next => setTab(next)} tabs={tabs}>
            {tab === 'upload' ? (
              <div className="flex flex-1 items-center justify-center">
                <EmptyState icon={Upload} text={t('fields.picker.dropped')} action={uploader} />
              </div>
            ) : (
              list(tab === 'all' && all ? all : source)
            )}
          </Tabs>
        )}
        {sending && <Sending {...sending} />}
      </div>
    </Dialog>
  )
}
