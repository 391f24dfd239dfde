import { unsealTotp } from '../../access/factors/totp.ts'
import { note } from '../import/report.ts'
import { ownerOfUser } from '../../groups/users/users.ts'
import { type ExportedModel, readContents, writeContents } from './contents.ts'
import { type ExportedOwner, type ExportRun, writeFiles } from './files.ts'
import { writePhp } from './php.ts'
import { selectExportedUsers, type ExportedUser } from './queries.ts'
import type { ExportFolder } from './target.ts'

const batchSize = 200
const noFields: ExportedModel['fields'] = new Map()
/** Written to `index.php` and `.htpasswd`, not to the content. */
const notInContent = new Set(['email', 'language', 'name', 'password', 'role', 'uuid'])

/** Writes every account with its content, its files, and its password hash and second factor. */
export async function writeUsers(run: ExportRun, accounts: ExportFolder): Promise<void> {
  for (let after = ''; ;) {
    const users = await selectExportedUsers(run.app.store, after, batchSize)
    if (users.length === 0) return
    await writeBatch(run, accounts, users)
    after = users.at(-1)!.id
  }
}

async function writeBatch(run: ExportRun, accounts: ExportFolder, users: readonly ExportedUser[]): Promise<void> {
  const { app, target, report } = run
  const contents = await readContents(
    app.store,
    users.map(({ id }) => ownerOfUser(id)),
  )
  const owners: ExportedOwner[] = []
  for (const user of users) {
    const { id, email, language, role } = user
    const name = user.name || (user.blank_name === 1 ? '' : null)
    const folder = target.folder(accounts, id)
    if (!folder) continue
    target.text(folder, 'index.php', writePhp({ email, language, name, role }))
    const secrets = secretsOf(run, folder, user)
    if (secrets !== undefined) target.text(folder, '.htpasswd', secrets)
    const fields = app.blueprints.user(role)?.fields ?? noFields
    writeContents(
      run,
      folder,
      { owner: ownerOfUser(id), name: 'user', fields, excludedFields: () => notInContent },
      contents,
    )
    report.counts.users++
    owners.push({ owner: ownerOfUser(id), folder, text: 'user' })
  }
  await writeFiles(run, owners)
}

/**
 * The password hash, and below it the second factor. Nothing for a disabled account or password: it could be used to
 * sign in where it is imported.
 */
function secretsOf({ app, report }: ExportRun, { shown }: ExportFolder, user: ExportedUser): string | undefined {
  const { id, status, password_hash: hash, password_disabled_at: disabledAt, totp_secret: sealed } = user
  if (status === 'disabled' || (disabledAt !== null && hash !== null)) {
    note(
      report,
      shown,
      status === 'disabled'
        ? 'the account is disabled: its password is not exported'
        : 'its password is disabled, and not exported',
    )
    return undefined
  }
  const totp = sealed === null ? undefined : unsealTotp(app, id, sealed)
  if (hash === null && totp === undefined) return undefined
  return totp === undefined ? hash! : `${hash ?? ''}\n${JSON.stringify({ totp })}`
}
