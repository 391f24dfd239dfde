import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pino } from 'pino'
import { backup, type BackupReport, type BackupSource } from '../transfer/backup/backup.ts'
import { restore, type RestoreReport } from '../transfer/backup/restore.ts'
import { openMedia } from '../platform/media/open.ts'
import { siteConfig } from './site-config.ts'
import { print, showSteps, type Terminal, UsageError } from './terminal.ts'

interface Options {
  site: string
  json?: boolean
  force?: boolean
}

/** Does not migrate the database: backups are made before a migration. */
async function openPlace(site: string, terminal: Terminal): Promise<BackupSource> {
  const config = await siteConfig(site, terminal)
  return { config, media: openMedia(config, pino({ level: config.log.level, base: null }, pino.destination(2))) }
}

interface BackupOptions extends Options {
  /** Commander's property for `--without-secrets`. */
  withoutSecrets?: boolean
  incomplete?: boolean
}

/** Writes everything that is stored to one archive. A server may run meanwhile. */
export async function backupSite(
  file: string,
  { site, json = false, ...options }: BackupOptions,
  terminal: Terminal,
): Promise<void> {
  const place = await openPlace(site, terminal)
  const steps = showSteps(terminal)
  try {
    const report = await backup(place, resolve(file), { ...options, progress: steps.of('Backing up') })
    steps.done()
    print(terminal, json, { status: 'ok', ...report }, backupText(report))
  } finally {
    steps.done()
  }
}

function backupText({ file, size, sha256, rows, media, secrets, missing }: BackupReport): string {
  return [
    `${rows} rows and ${media.count} files (${media.bytes} bytes) are in ${file}, ${size} bytes.`,
    `SHA-256  ${sha256}`,
    secrets
      ? 'The secrets of the site are in it: anyone with the archive can read all of it. Keep it as safe as the secrets.'
      : 'The secrets of the site are not in it: without them no account can sign in after a restore.',
    ...missingText(missing),
  ].join('\n')
}

const missingText = (missing: readonly string[]) =>
  missing.length === 0 ? [] : [`The bytes of these files are not in it: ${missing.join(', ')}`]

interface RestoreCommandOptions extends Options {
  dryRun?: boolean
  whileRunning?: boolean
}

const steps = { verify: 'Verifying', media: 'Restoring files', rows: 'Restoring rows' } as const

export async function restoreSite(
  file: string,
  { site, json = false, ...options }: RestoreCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const path = resolve(file)
  if (!existsSync(path)) throw new UsageError(`There is no ${path}.`)
  const place = await openPlace(site, terminal)
  const bar = showSteps(terminal)
  try {
    const progress = (what: keyof typeof steps, done: number, all: number) => bar.of(steps[what])(done, all)
    const report = await restore(place, path, { ...options, progress })
    bar.done()
    const { dryRun = false } = options
    print(terminal, json, { status: 'ok', dryRun, ...report }, restoreText(report, dryRun))
  } finally {
    bar.done()
  }
}

function restoreText({ release, created, rows, media, missing }: RestoreReport, dryRun: boolean): string {
  const what = `${rows} rows and ${media.count} files (${media.bytes} bytes), kept by Quoin ${release} at ${created}`
  return [
    dryRun ? `The archive is in order: ${what}. Nothing was written.` : `Restored ${what}.`,
    ...missingText(missing),
    ...(dryRun ? [] : ['Restart the server if one is running.']),
  ].join('\n')
}
