import { existsSync } from 'node:fs'
import { copyMedia as copyBytes, type MediaReport } from '../transfer/copy/media.ts'
import { niceSize } from '../groups/files/size.ts'
import { openBucket, openFolder } from '../platform/media/open.ts'
import { openStore, sqlitePath } from '../platform/store/open.ts'
import { siteConfig } from './site-config.ts'
import { type ExitCode, print, showSteps, type Terminal, UsageError } from './terminal.ts'

interface Options {
  site: string
  to: string
  json?: boolean
}

/** Copies all blobs from the disk to the configured bucket, or back. The database is not changed. */
export async function copyMedia({ site, to, json = false }: Options, terminal: Terminal): Promise<ExitCode> {
  const config = await siteConfig(site, terminal)
  if (to !== 's3' && to !== 'disk') throw new UsageError('--to must be s3 or disk with --media.')
  if (config.database.url === undefined && !existsSync(sqlitePath(config)))
    throw new UsageError(`There is nothing to copy yet: ${sqlitePath(config)} does not exist.`)
  const bucket = openBucket(config, { error: () => {} })
  if (!bucket) throw new UsageError('There is no bucket: set media.s3.endpoint, .bucket, .accessKey and .secretKey.')
  await (to === 's3' ? bucket.checkWritable() : bucket.check())
  const folder = openFolder(config)
  const store = await openStore(config, { isMaintenance: true })
  const steps = showSteps(terminal)
  try {
    const direction = to === 's3' ? { from: folder, to: bucket } : { from: bucket, to: folder }
    const report = await copyBytes(store, direction, steps.of('Copying bytes'))
    steps.done()
    const { alreadyCopied, ...rest } = report
    const isWhole = report.missing.length + report.damaged.length === 0
    print(terminal, json, { status: isWhole ? 'ok' : 'error', ...rest, found: alreadyCopied }, reportText(report, to))
    return isWhole ? 0 : 1
  } finally {
    steps.done()
    await store.close()
  }
}

const maxShown = 20

function reportText({ copied, alreadyCopied, bytes, missing, damaged }: MediaReport, to: 's3' | 'disk'): string {
  const lost = [...missing.map(hash => `missing  ${hash}`), ...damaged.map(hash => `damaged  ${hash}`)]
  const next =
    to === 's3'
      ? 'Restart the server with the media.s3 settings, then copy once more for what was uploaded meanwhile. data/media is not needed any more after that.'
      : 'Restart the server without the media.s3 settings. Copy once more before that if files were uploaded meanwhile.'
  return [
    `Copied ${copied} ${copied === 1 ? 'blob' : 'blobs'} (${niceSize(bytes, 'en')}), each read again and compared by its hash. ${alreadyCopied} ${alreadyCopied === 1 ? 'was' : 'were'} there already.`,
    ...(lost.length > 0 ? [`Not copied, ${lost.length} in all:`, ...lost.slice(0, maxShown)] : [next]),
  ].join('\n')
}
