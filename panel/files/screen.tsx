import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  ChevronLeft,
  ChevronRight,
  Copy,
  Crop,
  ExternalLink,
  FileClock,
  FolderInput,
  History,
  type LucideIcon,
  MoreHorizontal,
  PencilLine,
  RefreshCw,
  Rocket,
  Shapes,
  Trash2,
} from 'lucide-react'
import { lazy, type ReactElement, Suspense, useState } from 'react'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { useContentLanguage } from '../app/language.ts'
import { keys } from '../app/query.ts'
import { can, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { labelsOf } from '../editor/blueprint.ts'
import { HistoryDrawer } from '../editor/history-drawer.tsx'
import { clearDrafts } from '../editor/open-drafts.ts'
import { usePaletteActions } from '../search/palette-actions.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Column, Columns } from '../ui/columns.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { UsedIn } from '../backlinks/used-in.tsx'
import { fileInfo } from './browser.tsx'
import { FileContent, useFileResource } from './content.tsx'
import { FileDetails } from './details.tsx'
import { DeleteFileDialog, RenameDialog, ReplaceDialog, FileTemplateDialog } from './dialogs.tsx'
import { type FocusPoint, readFocus, writeFocus } from './focus.tsx'
import { fileLink, filesLink } from './link.tsx'
import { type FileModel, type FileParent, fileQuery, filesOf, keyOf } from './parent.ts'
import { useFileRoute, useFileBreadcrumb } from './route.ts'
import { FilePreview } from './preview.tsx'

/** Lazy, because it is rarely opened. */
const AddToReleaseDialog = lazy(async () => ({
  default: (await import('../releases/add-dialog.tsx')).AddToReleaseDialog,
}))

const CropImageDialog = lazy(async () => ({ default: (await import('./crop-dialog.tsx')).CropImageDialog }))
const VersionsDialog = lazy(async () => ({ default: (await import('./versions-dialog.tsx')).VersionsDialog }))
const OneFileOperation = lazy(async () => ({ default: (await import('../library/one-file.tsx')).OneFileOperation }))

type OpenDialog =
  | 'crop'
  | 'versions'
  | 'move'
  | 'copy'
  | 'rename'
  | 'replace'
  | 'template'
  | 'release'
  | 'history'
  | 'delete'

/** A file: preview, properties and content. */
export function FileScreen() {
  const { parent, filename } = useFileRoute()
  const { code: language } = useContentLanguage()
  const breadcrumb = useFileBreadcrumb(parent)
  const { data, error, refetch } = useQuery(fileQuery(parent, filename, language))
  useTitleAndBreadcrumb(filename, [...breadcrumb, { text: filename }])
  if (error && !data) return <ErrorScreen error={error} reset={() => void refetch()} />
  if (!data) return <FileSkeleton filename={filename} />
  return <Loaded key={data.uuid} parent={parent} file={data} language={language} />
}

function Loaded({ parent, file, language }: { parent: FileParent; file: FileModel; language: string | undefined }) {
  const [dialog, setDialog] = useState<OpenDialog>()
  const { user } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const close = () => setDialog(undefined)
  const goTo = (link: ReactElement<Record<string, unknown>>) => navigate(link.props)
  const reload = () => queryClient.invalidateQueries({ queryKey: keys.files(keyOf(parent)) })
  const { options } = file
  const resource = useFileResource(parent, file.filename, language)

  const focus = useMutation({
    // Sent without a language, because the focus point of the default language applies to all.
    mutationFn: (point: FocusPoint) => filesOf(parent).update(file.filename, { focus: writeFocus(point) }),
    onSettled: reload,
  })
  const canFocus = file.thumbs !== null && options['update'] === true
  const item = (opened: OpenDialog, option: string, text: string, icon: LucideIcon) => ({
    text,
    icon,
    onSelect: () => setDialog(opened),
    ...(options[option] !== true && { disabled: true, info: t('files.denied') }),
  })
  const items = [
    item('rename', 'changeName', t('files.rename'), PencilLine),
    ...(isCroppable(file) ? [item('crop', 'replace', t('files.crop'), Crop)] : []),
    item('replace', 'replace', t('files.replace'), RefreshCw),
    ...(options['replace'] === true ? [item('versions', 'replace', t('files.versions'), FileClock)] : []),
    ...(can(user, 'files.create')
      ? [
          item('move', 'delete', t('files.move'), FolderInput),
          { text: t('action.copy'), icon: Copy, onSelect: () => setDialog('copy') },
        ]
      : []),
    ...(options['changeTemplate'] === true
      ? [item('template', 'changeTemplate', t('files.template.change'), Shapes)]
      : []),
    ...(parent.kind !== 'user' && can(user, 'pages.update')
      ? [item('release', 'update', t('releases.add'), Rocket)]
      : []),
    ...(options['update'] === true ? [item('history', 'update', t('editor.history'), History)] : []),
  ]
  const remove = { ...item('delete', 'delete', t('action.delete'), Trash2), danger: true }
  usePaletteActions(
    [...items, remove].flatMap(({ text, icon, onSelect, ...rest }) =>
      'disabled' in rest ? [] : [{ text, icon, subject: file.filename, run: onSelect }],
    ),
  )

  return (
    <>
      <PageHeader
        title={file.filename}
        info={fileInfo(file)}
        actions={
          <>
            <Neighbours parent={parent} file={file} />
            <Button icon={ExternalLink} render={<a href={file.url} target="_blank" rel="noreferrer" />}>
              {t('files.open')}
            </Button>
            <Menu
              trigger={<IconButton variant="quiet" icon={MoreHorizontal} label={t('action.more')} />}
              items={[...items, 'line', remove]}
            />
          </>
        }
      />
      <Columns>
        <Column width="2/3">
          <div className="flex flex-col gap-5">
            <Card>
              <FilePreview
                file={file}
                alt={altOf(file)}
                focus={readFocus(file.content['focus'])}
                onFocus={canFocus ? point => focus.mutate(point) : undefined}
              />
            </Card>
            <FileContent resource={resource} file={file} onChanged={() => void reload()} />
          </div>
        </Column>
        <Column width="1/3">
          <div className="flex flex-col gap-5">
            <FileDetails file={file} />
            <UsedIn target={{ parent, filename: file.filename }} />
          </div>
        </Column>
      </Columns>
      {dialog === 'rename' && (
        <RenameDialog
          parent={parent}
          file={file}
          onClose={close}
          onRenamed={filename => {
            close()
            clearDrafts(resource.link)
            void goTo(fileLink(parent, filename)).then(reload)
          }}
        />
      )}
      {dialog === 'replace' && (
        <ReplaceDialog
          parent={parent}
          file={file}
          onClose={close}
          onReplaced={() => {
            close()
            void reload()
          }}
        />
      )}
      {dialog === 'template' && (
        <FileTemplateDialog
          parent={parent}
          file={file}
          onClose={close}
          onChanged={() => {
            close()
            void reload()
          }}
        />
      )}
      {dialog === 'history' && (
        <HistoryDrawer
          resource={resource}
          blueprint={file.blueprint}
          labels={labelsOf(file.blueprint)}
          canRestore={options['update'] === true}
          onClose={close}
        />
      )}
      <Suspense>
        {dialog === 'crop' && (
          <CropImageDialog
            file={file}
            onClose={close}
            onSaved={copy => {
              close()
              void (copy === undefined ? reload() : goTo(fileLink(parent, copy)).then(reload))
            }}
          />
        )}
        {dialog === 'versions' && (
          <VersionsDialog
            file={file}
            onClose={close}
            onRestored={() => {
              close()
              void reload()
            }}
          />
        )}
        {(dialog === 'move' || dialog === 'copy') && (
          <OneFileOperation
            operation={dialog}
            file={{ uuid: file.uuid, filename: file.filename, link: resource.link, place: placeOf(parent) }}
            onClose={close}
            onDone={link => {
              close()
              if (dialog === 'move') void navigate({ to: link })
            }}
          />
        )}
        {dialog === 'release' && (
          <AddToReleaseDialog
            uuid={file.uuid}
            title={file.filename}
            canDelete={options['delete'] === true}
            onClose={close}
          />
        )}
      </Suspense>
      {dialog === 'delete' && (
        <DeleteFileDialog
          parent={parent}
          file={file}
          onClose={close}
          onDeleted={() => {
            clearDrafts(resource.link)
            void goTo(filesLink(parent)).then(reload)
          }}
        />
      )}
    </>
  )
}

/** Whether the server can crop it. It still refuses animated pictures, which cannot be detected here. */
const isCroppable = ({ dimensions, extension }: FileModel) =>
  dimensions !== null && dimensions.width > 0 && /^(?:jpe?g|png|webp|avif|gif)$/.test(extension)

/** The parent as the API of the library takes it: null for the site, the path of a page, `user://…`. */
const placeOf = (parent: FileParent) =>
  parent.kind === 'site' ? null : parent.kind === 'page' ? parent.id.replaceAll('+', '/') : `user://${parent.id}`

/** The alternative text, or else the filename. */
function altOf({ content, filename }: FileModel): string {
  const { alt } = content
  return typeof alt === 'string' && alt !== '' ? alt : filename
}

/** Links to the previous and next file. */
function Neighbours({ parent, file }: { parent: FileParent; file: FileModel }) {
  const navigate = useNavigate()
  const { prevWithTemplate: previous, nextWithTemplate: next } = file
  if (!previous && !next) return null
  const goTo = (name: string) => void navigate(fileLink(parent, name).props)
  return (
    <div className="flex">
      <IconButton
        icon={ChevronLeft}
        className="rtl:-scale-x-100"
        label={t('files.previous')}
        disabled={!previous}
        onClick={() => goTo(previous!.filename)}
      />
      <IconButton
        icon={ChevronRight}
        className="rtl:-scale-x-100"
        label={t('files.next')}
        disabled={!next}
        onClick={() => goTo(next!.filename)}
      />
    </div>
  )
}

function FileSkeleton({ filename }: { filename: string }) {
  return (
    <>
      <PageHeader title={filename} />
      <Columns>
        <Column width="2/3">
          <Skeleton className="h-96 w-full" />
        </Column>
        <Column width="1/3">
          <Skeleton className="h-72 w-full" />
        </Column>
      </Columns>
    </>
  )
}
