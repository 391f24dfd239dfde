import { readFileSync } from 'node:fs'
import { copyFile, mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { printsOf } from '../../platform/store/key-prints.ts'
import type { Config } from '../../platform/config.ts'
import { createId } from '../../platform/lib/id.ts'
import { ignoreMissing } from '../../platform/media/temporary.ts'
import { openSecrets, type Ring } from '../../platform/secrets.ts'
import type { ArchiveContents } from './archive.ts'
import { BackupRefusal } from './refusal.ts'

const pathIn = ({ data }: Config) => join(data, 'secrets.json')

const areConfigured = ({ secrets }: Config) => secrets.session.length > 0

/** The content of the secrets file, if it exists and is used. Secrets from the environment are not archived. */
export function secretsFile(config: Config): string | undefined {
  if (areConfigured(config)) return undefined
  try {
    return readFileSync(pathIn(config), 'utf8')
  } catch (error) {
    return ignoreMissing(error as NodeJS.ErrnoException)
  }
}

/**
 * The secrets to write, if any. After a restore, the keys for the stored data must exist: in the environment, in the
 * archive, or already on this machine.
 */
export function secretsToWrite(
  config: Config,
  { secrets, prints }: ArchiveContents,
  force: boolean,
): string | undefined {
  if (areConfigured(config)) {
    if (!matchPrints(config, prints))
      throw new BackupRefusal('The secrets of this configuration are not those that the archive was made with.')
    return undefined
  }
  const existing = secretsFile(config)
  if (existing !== undefined && matchPrints(withFile(config, existing), prints)) return undefined
  if (secrets === undefined)
    throw new BackupRefusal(
      `The archive has no secrets, and without them no account could sign in: put the secrets.json of the site into ${config.data} first.`,
    )
  if (!matchPrints(withFile(config, secrets), prints))
    throw new BackupRefusal('The secrets in the archive are not those of its rows.')
  if (existing !== undefined && !force)
    throw new BackupRefusal(`${pathIn(config)} has other secrets than the archive. --force replaces them.`)
  return secrets
}

function withFile(config: Config, text: string): Config {
  try {
    const { session, pepper, vault } = JSON.parse(text) as Record<Ring, string[]>
    return { ...config, secrets: { session: [...session], pepper: [...pepper], vault: [...vault] } }
  } catch {
    throw new BackupRefusal('The secrets cannot be read.')
  }
}

/** The same check that a server does when it starts. */
function matchPrints(config: Config, prints: ArchiveContents['prints']): boolean {
  if (!areConfigured(config)) return false
  const own = printsOf(openSecrets(config))
  const isWrong = own.some(({ ring, id, print }) =>
    prints.some(row => row.ring === ring && row.key_id === id && row.print !== print),
  )
  const rings = new Set(prints.map(({ ring }) => ring))
  return (
    !isWrong &&
    [...rings].every(ring =>
      own.some(key => key.ring === ring && prints.some(row => row.ring === ring && row.key_id === key.id)),
    )
  )
}

/** A copy of the previous file stays next to it. */
export async function writeSecrets(config: Config, text: string): Promise<void> {
  const path = pathIn(config)
  await mkdir(config.data, { recursive: true, mode: 0o700 })
  const temporary = `${path}.${createId()}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await copyFile(path, `${path}.before-restore`).catch(ignoreMissing)
  await rename(temporary, path)
}
