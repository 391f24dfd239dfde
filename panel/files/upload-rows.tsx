import { CircleAlert, CircleCheck, Copy, RotateCw, Upload as UploadIcon, X } from 'lucide-react'
import { library } from '../texts/en/library.ts'
import { addTexts, formatSize, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { countOf, type Upload, type Uploads } from './uploads.ts'

addTexts(library)

/** Uploads with their progress, and what can be done about them. */
export function UploadRows({ uploads }: { uploads: Uploads }) {
  const all = uploads.use()
  const { done, failed, sending } = countOf(all)
  return (
    <section aria-label={t('files.uploads')} className="rounded-lg border bg-surface">
      <header className="flex min-h-10 items-center gap-2 border-b ps-3 pe-1.5">
        <p className="min-w-0 flex-1 truncate text-sm font-medium">
          {sending > 0
            ? t('files.uploads.sending', { count: sending })
            : done + failed > 0
              ? t('files.uploads.over', { done, failed })
              : t('files.uploads')}
        </p>
        {sending === 0 && (
          <IconButton size="small" icon={X} label={t('action.close')} onClick={() => uploads.clear()} />
        )}
      </header>
      <ul className="max-h-80 divide-y overflow-y-auto">
        {all.map(upload => (
          <Row key={upload.id} upload={upload} uploads={uploads} />
        ))}
      </ul>
    </section>
  )
}

function Row({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const { id, name, file, status, progress, error, isTaken, result, same } = upload
  const isKnown = status === 'known'
  const filename = result?.filename ?? name
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 ps-3 pe-1.5">
      {status === 'failed' && <CircleAlert aria-hidden="true" className="text-danger" />}
      {isKnown && <Copy aria-hidden="true" className="text-info" />}
      {status === 'done' && <CircleCheck aria-hidden="true" className="text-good" />}
      {(status === 'waiting' || status === 'sending') && <UploadIcon aria-hidden="true" className="text-muted" />}
      <div className="min-w-0 flex-1 basis-40">
        <p className="flex gap-2">
          <span className="min-w-0 truncate">{filename}</span>
          <span className="ms-auto shrink-0 text-sm text-muted tabular-nums">
            {status === 'waiting' ? t('files.uploads.waiting') : formatSize(file.size)}
          </span>
        </p>
        {status === 'sending' && (
          <div className="pt-1.5 pb-1">
            {/* All bytes are sent and the server is processing them; its progress is unknown. */}
            <ProgressBar label={filename} value={progress < 1 ? progress : undefined} />
          </div>
        )}
        {status === 'failed' && <p className="text-sm wrap-anywhere text-danger">{error}</p>}
        {isKnown && same && (
          <p role="status" className="text-sm wrap-anywhere text-muted">
            {t('library.same', {
              place: same.parent.kind === 'site' ? t('nav.site') : same.parent.title,
              name: same.filename,
            })}
          </p>
        )}
      </div>
      <div className="ms-auto flex shrink-0 items-center gap-1">
        {isKnown && (
          <>
            <Button size="small" onClick={() => uploads.copy(id)}>
              {t('library.copy')}
            </Button>
            <Button size="small" variant="plain" onClick={() => uploads.force(id)}>
              {t('library.same.upload')}
            </Button>
          </>
        )}
        {isTaken && (
          <Button size="small" onClick={() => uploads.keepBoth(id)}>
            {t('files.keepBoth')}
          </Button>
        )}
        {status === 'failed' && (
          <IconButton
            size="small"
            icon={RotateCw}
            label={t('files.retry', { name: filename })}
            onClick={() => uploads.retry(id)}
          />
        )}
        {status !== 'done' && (
          <IconButton
            size="small"
            icon={X}
            label={t(status === 'failed' || isKnown ? 'files.dismiss' : 'files.stop', { name: filename })}
            onClick={() => uploads.remove(id)}
          />
        )}
      </div>
    </li>
  )
}
