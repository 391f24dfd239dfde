import { Images } from 'lucide-react'
import { can, useSession } from '../app/session.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { t } from '../texts/texts.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { FileBrowser } from './browser.tsx'
import { useFileRoute, useFileBreadcrumb } from './route.ts'
import { DropZone, UploadButton, UploadList, useUploads } from './upload.tsx'

/** All files of the site, a page or an account, independent of the sections in its blueprint. */
export function FilesScreen() {
  const { parent } = useFileRoute()
  const { user } = useSession()
  const breadcrumb = useFileBreadcrumb(parent)
  const uploads = useUploads({ parent })
  const canUpload = can(user, 'files.create')
  useTitleAndBreadcrumb(t('files.title'), [...breadcrumb.slice(0, -1), { text: t('files.title') }])
  return (
    <DropZone uploads={uploads} disabled={!canUpload} paste className="flex flex-1 flex-col">
      <PageHeader
        title={t('files.title')}
        info={canUpload ? t('files.hint') : t('files.upload.denied')}
        actions={canUpload && <UploadButton uploads={uploads} variant="primary" />}
      />
      <div className="flex flex-col gap-5">
        <UploadList uploads={uploads} />
        <FileBrowser
          parent={parent}
          empty={
            <EmptyState
              icon={Images}
              text={t(canUpload ? 'files.none' : 'files.none.plain')}
              action={canUpload && <UploadButton uploads={uploads} />}
            />
          }
        />
      </div>
    </DropZone>
  )
}
