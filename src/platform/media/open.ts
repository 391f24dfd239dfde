import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { openDisk } from './disk.ts'
import type { Media } from './media.ts'
import { openS3 } from './s3.ts'

/** Has no side effects: folders and connections are created with the first blob. */
export function openMedia(config: Config, log: Logger): Media {
  return openBucket(config, log) ?? openFolder(config)
}

export function openFolder(config: Config): Media {
  return openDisk(folderOf(config))
}

const folderOf = (config: Config) => join(config.data, 'media')

/** Undefined if no bucket is configured. */
export function openBucket(config: Config, log: Pick<Logger, 'error'>): Media | undefined {
  const folder = folderOf(config)
  const { endpoint, region, bucket, accessKey, secretKey } = config.media.s3
  if (!bucket) return undefined
  return openS3({
    endpoint: endpoint!,
    region,
    bucket,
    accessKey: accessKey!,
    secretKey: secretKey!,
    maxSize: config.files.maxSize,
    folder,
    onError: error => log.error({ err: error }, 'the media storage did not do as it was asked'),
  })
}
