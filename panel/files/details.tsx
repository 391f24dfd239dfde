import { Fragment, type ReactNode, useId } from 'react'
import { CopyButton } from '../account/copy.tsx'
import { formatDate, formatNumber, formatSize, t, textOf } from '../texts/texts.ts'
import { Card } from '../ui/card.tsx'
import type { FileModel } from './parent.ts'

const absolute = (url: string) => new URL(url, location.href).href

/** Properties of the file: type, size, URL and so on. */
export function FileDetails({ file }: { file: FileModel }) {
  const { dimensions, thumbs } = file
  const rows: [string, ReactNode][] = [
    [t('files.type'), textOf(`files.type.${file.type ?? ''}`) ?? file.extension.toUpperCase()],
    [t('files.mime'), file.mime],
    [t('files.size'), formatSize(file.size)],
    ...(dimensions && dimensions.width > 0
      ? ([[t('files.dimensions'), `${formatNumber(dimensions.width)} × ${formatNumber(dimensions.height)}`]] as [
          string,
          string,
        ][])
      : []),
    [t('files.template'), file.blueprint.title || (file.template ?? '—')],
    [t('files.modified'), formatDate(file.modified)],
  ]
  return (
    <Card title={t('files.details')}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
        {rows.map(([name, value]) => (
          <Fragment key={name}>
            <dt className="text-muted">{name}</dt>
            <dd className="wrap-anywhere">
              <bdi>{value}</bdi>
            </dd>
          </Fragment>
        ))}
      </dl>
      <div className="mt-4 flex flex-col gap-3 border-t pt-4">
        <Copyable label={t('files.url')} text={absolute(file.url)} />
        <Copyable label={t('files.uuid')} text={file.uuid} />
      </div>
      {thumbs && (
        <div className="mt-4 border-t pt-4">
          <h3 className="font-medium">{t('files.sizes')}</h3>
          <p className="mb-2 text-sm text-muted">{t('files.sizes.help')}</p>
          <ul className="flex flex-wrap gap-x-3 gap-y-1">
            {Object.entries(thumbs).map(([name, url]) => (
              <li key={name}>
                <a
                  href={url}
                  target="_blank"
                  rel="noreferrer"
                  className="inline-flex min-h-6 items-center text-accent underline underline-offset-2"
                >
                  {textOf(`files.size.${name}`) ?? name}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  )
}

/** A long text with a button to copy it. */
function Copyable({ label, text }: { label: string; text: string }) {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <p id={id} className="text-sm text-muted">
          {label}
        </p>
        <p className="truncate font-mono text-sm" dir="ltr">
          {text}
        </p>
      </div>
      <CopyButton text={text} />
    </div>
  )
}
