import { useMutation } from '@tanstack/react-query'
import { Upload as UploadIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { errorText, fieldErrors } from '../app/errors.ts'
import { watch } from '../app/upload.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { textsIn } from '../fields/field.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { RadioGroup } from '../ui/radio-group.tsx'
import { toast } from '../ui/toast.ts'
import { useDeletedToast, useTrashDays } from '../trash/undo.ts'
import { StillUsed } from '../backlinks/still-used.tsx'
import { type FileModel, type FileParent, filesOf } from './parent.ts'
import { mustFit } from './size-limit.ts'

interface Props {
  parent: FileParent
  file: FileModel
  onClose: () => void
}

const baseOf = ({ filename, extension }: FileModel) => filename.slice(0, -(extension.length + 1))

/** Renames a file. Its extension stays the same. */
export function RenameDialog({ parent, file, onClose, onRenamed }: Props & { onRenamed: (filename: string) => void }) {
  const [name, setName] = useState(baseOf(file))
  const rename = useMutation({
    mutationFn: () => filesOf(parent).rename(file.filename, name),
    meta: { handlesError: true },
    onSuccess: onRenamed,
  })
  return (
    <SubmitDialog
      size="small"
      title={t('files.rename.title')}
      onClose={onClose}
      onSubmit={() => rename.mutate()}
      confirm={t('files.rename')}
      busy={rename.isPending}
      disabled={name.trim() === ''}
    >
      <Field
        label={t('files.name')}
        help={t('files.rename.help')}
        error={rename.error ? (fieldErrors(rename.error)['name'] ?? errorText(rename.error)) : undefined}
      >
        <Input autoFocus value={name} onChange={setName} after={`.${file.extension}`} spellCheck={false} dir="ltr" />
      </Field>
    </SubmitDialog>
  )
}

/** Changes the template. Values of fields that the new template lacks stay stored, but are not shown. */
export function FileTemplateDialog({ parent, file, onClose, onChanged }: Props & { onChanged: () => void }) {
  const offered = textsIn(file.blueprint.options['changeTemplate'])
  const current = file.template ?? 'default'
  const [template, setTemplate] = useState(current)
  const change = useMutation({
    mutationFn: () => filesOf(parent).changeTemplate(file.filename, template),
    meta: { handlesError: true },
    onSuccess: onChanged,
  })
  return (
    <SubmitDialog
      size="small"
      title={t('files.template.title')}
      description={t('files.template.help')}
      onClose={onClose}
      onSubmit={() => change.mutate()}
      confirm={t('files.template.change')}
      busy={change.isPending}
      disabled={template === current}
    >
      <Field group="radiogroup" label={t('files.template')} error={change.error ? errorText(change.error) : undefined}>
        <RadioGroup
          value={template}
          onChange={setTemplate}
          options={[...new Set([current, ...offered])].map(name => ({ value: name, text: name }))}
        />
      </Field>
    </SubmitDialog>
  )
}

/** Replaces the bytes of a file. Its name, its content and all references to it stay the same. */
export function ReplaceDialog({ parent, file, onClose, onReplaced }: Props & { onReplaced: () => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [progress, setProgress] = useState(0)
  const stop = useRef<AbortController>(undefined)
  const replace = useMutation({
    mutationFn: async (chosen: File) => {
      await mustFit(chosen)
      stop.current = new AbortController()
      setProgress(0)
      const form = new FormData()
      form.set('file', chosen)
      return filesOf(parent).replace(
        file.filename,
        watch(form, { onProgress: setProgress, signal: stop.current.signal }),
      )
    },
    meta: { handlesError: true },
    onSuccess: () => {
      toast({ tone: 'good', title: t('files.replaced', { name: file.filename }) })
      onReplaced()
    },
  })
  const close = () => {
    stop.current?.abort()
    onClose()
  }
  const isStopped = replace.error instanceof DOMException
  return (
    <Dialog
      open
      disablePointerDismissal={replace.isPending}
      title={t('files.replace.title', { name: file.filename })}
      description={t('files.replace.help')}
      onClose={close}
      footer={<Button onClick={close}>{t('action.cancel')}</Button>}
    >
      <div className="flex flex-col gap-3">
        {replace.error && !isStopped && (
          <Notice tone="danger" live>
            {errorText(replace.error)}
          </Notice>
        )}
        {replace.isPending ? (
          <div className="flex flex-col gap-2 rounded-md border px-4 py-6">
            <p className="truncate text-sm text-muted">{replace.variables.name}</p>
            <ProgressBar label={replace.variables.name} value={progress < 1 ? progress : undefined} />
          </div>
        ) : (
          <div
            className="flex flex-col items-center gap-3 rounded-md border border-dashed border-edge px-4 py-8 text-center"
            onDragOver={event => event.preventDefault()}
            onDrop={event => {
              event.preventDefault()
              const [dropped] = event.dataTransfer.files
              if (dropped) replace.mutate(dropped)
            }}
          >
            <p className="text-muted">{t('files.replace.drop', { extension: file.extension.toUpperCase() })}</p>
            <Button variant="primary" icon={UploadIcon} onClick={() => input.current?.click()}>
              {t('files.choose')}
            </Button>
            <input
              ref={input}
              type="file"
              hidden
              aria-label={t('files.choose')}
              accept={file.mime}
              onChange={event => {
                const [chosen] = event.target.files ?? []
                if (chosen) replace.mutate(chosen)
                event.target.value = ''
              }}
            />
          </div>
        )}
      </div>
    </Dialog>
  )
}

export function DeleteFileDialog({ parent, file, onClose, onDeleted }: Props & { onDeleted: () => void }) {
  const showDeletedToast = useDeletedToast()
  const days = useTrashDays()
  const remove = useMutation({
    mutationFn: () => filesOf(parent).remove(file.filename),
    onSuccess: () => {
      showDeletedToast(t('files.deleted', { name: file.filename }), { uuid: file.uuid, title: file.filename })
      onDeleted()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={t('files.delete.title', { name: file.filename })}
      confirm={t('action.delete')}
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>{days ? t('trash.delete.file', { count: days }) : days === 0 && t('files.delete.text')}</p>
      <StillUsed target={{ parent, filename: file.filename }} />
    </ConfirmDialog>
  )
}
