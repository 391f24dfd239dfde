import { useMutation, useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { errorText } from '../app/errors.ts'
import { formatDate, formatNumber, formatSize, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { type FileModel, fileIdOf } from './parent.ts'
import { iconOfFileType } from './thumb.tsx'

interface Props {
  file: FileModel
  onClose: () => void
  onRestored: () => void
}

type Version = Awaited<ReturnType<typeof client.site.library.versions>>[number]

/** The bytes that the file had before. Each can be restored; nothing is lost by that. */
export function VersionsDialog({ file, onClose, onRestored }: Props) {
  const { data: versions, error } = useQuery({
    queryKey: keys.files('versions', file.uuid, file.revision),
    queryFn: () => client.site.library.versions({ file: fileIdOf(file) }),
  })
  const restore = useMutation({
    mutationFn: (number: number) =>
      client.site.library.edit({ file: fileIdOf(file) }, { version: number, revision: file.revision }),
    meta: { handlesError: true },
    onSuccess: () => {
      toast({ tone: 'good', title: t('files.versions.restored') })
      onRestored()
    },
  })
  const failed = error ?? restore.error
  return (
    <Dialog
      open
      title={t('files.versions')}
      description={t('files.versions.help')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('action.close')}</Button>}
    >
      {failed && (
        <Notice tone="danger" live>
          {errorText(failed)}
        </Notice>
      )}
      {!versions && !error && <Skeleton lines={3} className="h-12 w-full" />}
      {versions?.length === 0 && <p className="text-muted">{t('files.versions.none')}</p>}
      {versions && versions.length > 0 && (
        <ul aria-label={t('files.versions')} className="flex flex-col divide-y rounded-md border">
          {versions.map(version => (
            <li key={version.number} className="flex items-center gap-3 px-3 py-2">
              <VersionImage version={version} type={file.type} />
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-x-2 font-medium">
                  {nameOf(version)}
                  {version.current && <Badge tone="accent">{t('files.versions.current')}</Badge>}
                </p>
                <p className="text-sm text-muted">
                  {[formatDate(version.time), version.user?.username].filter(Boolean).join(' · ')}
                </p>
                <p className="text-sm text-muted">
                  <bdi>{factsOf(version)}</bdi>
                </p>
              </div>
              {!version.current && (
                <Button
                  size="small"
                  aria-label={`${t('files.versions.restore')}: ${nameOf(version)}`}
                  busy={restore.isPending && restore.variables === version.number}
                  disabled={restore.isPending}
                  onClick={() => restore.mutate(version.number)}
                >
                  {t('files.versions.restore')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}

const nameOf = ({ number }: Version) =>
  number === 1 ? t('files.versions.original') : t('files.versions.number', { number: formatNumber(number) })

function factsOf({ width, height, size }: Version): string {
  const dimensions = width === null || height === null ? [] : [`${formatNumber(width)} × ${formatNumber(height)}`]
  return [...dimensions, formatSize(size)].join(' · ')
}

/** Opens the bytes of the version. */
function VersionImage({ version, type }: { version: Version; type: string | null }) {
  const Icon = iconOfFileType(type)
  return (
    <a
      href={version.url}
      target="_blank"
      rel="noreferrer"
      aria-label={`${t('files.open')}: ${nameOf(version)}`}
      className="flex size-16 shrink-0 items-center justify-center overflow-hidden rounded-md bg-sunken text-muted"
    >
      {version.thumb === null ? (
        <Icon aria-hidden="true" />
      ) : (
        <img src={version.thumb} alt="" loading="lazy" className="size-full object-contain" />
      )}
    </a>
  )
}
