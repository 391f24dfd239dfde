import type { App } from '../../app.ts'
import { systemContext } from '../../access/actor.ts'
import { record } from '../../access/audit/audit.ts'
import { hasEvents } from '../../access/audit/queries.ts'
import { ApiError } from '../../platform/errors.ts'
import { setTotp } from '../../access/factors/totp.ts'
import { nobody } from '../../blueprints/permissions/permissions.ts'
import { parsePhc } from '../../platform/lib/argon2.ts'
import type { Email } from '../../platform/lib/email.ts'
import type { Tx } from '../../platform/store/store.ts'
import { closestTranslation, findTranslation } from '../../platform/translations/translations.ts'
import { emailMustBeValid, idMustBePossible, plainName } from '../../groups/users/rules.ts'
import { insertAccount, isBlank, ownerOfUser } from '../../groups/users/users.ts'
import { type FolderContents, type ImportContext, readModel } from './folder.ts'
import type { Literal } from './php.ts'
import { selectExistingUsers } from './queries.ts'
import { note, type ImportReport, skip } from './report.ts'
import { settingsIn } from './settings.ts'
import type { ImportedModel } from './models.ts'

export interface FoundUser extends Pick<FolderContents, 'texts' | 'files'> {
  file: string
  id: string
  email: Email
  name: string
  blank: boolean
  language: string
  role: string
  /** A bcrypt hash, or one of this site; null for an account that has to choose a password. */
  hash: string | null
  totp: string | undefined
}

/** `app` provides the secrets, which decide which password hashes can be used. */
interface UsersSource extends ImportContext {
  app: App
}

/** Yields accounts, one folder each. `roles` are the known roles. */
export function* readUsers(place: UsersSource, folder: string, roles: ReadonlySet<string>): Generator<FoundUser> {
  const { source, report } = place
  for (const { name, path, isFolder } of source.has(folder) ? source.list(folder) : []) {
    if (!isFolder) {
      if (!name.startsWith('.')) skip(report, path, 'an account is a folder')
      continue
    }
    const user = readUser(place, path, name)
    if (!user) continue
    if (!roles.has(user.role))
      note(report, path, `there is no blueprint of the role ${user.role}: it has no permissions`)
    yield user
  }
}

function readUser(place: UsersSource, path: string, id: string): FoundUser | undefined {
  const { source, report } = place
  const { texts, files, folders } = readModel(place, path, { only: 'user', except: ['index.php', '.htpasswd'] })
  for (const folder of folders) skip(report, folder.path, 'accounts have no folders')
  const file = `${path}/index.php`
  const settings = settingsIn(source, report, file)
  if (!settings) return undefined
  const text = (name: string) => asText(settings.get(name))
  try {
    idMustBePossible(id)
    const email = emailMustBeValid(text('email') ?? '')
    const language = text('language') ?? 'en'
    if (!findTranslation(language)) note(report, file, `there is no translation ${language}`)
    return {
      file: path,
      id,
      email,
      name: plainName(text('name') ?? ''),
      blank: isBlank(text('name')),
      language: closestTranslation(language).id,
      role: text('role') ?? nobody,
      ...secretsIn(place, path),
      texts,
      files,
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    skip(report, path, error.message)
    return undefined
  }
}

const asText = (value: Literal | undefined) => (typeof value === 'string' ? value : undefined)

/** The highest accepted cost of bcrypt. Each step doubles the time; above this a sign-in would take too long. */
const maxBcryptCost = 14

function secretsIn({ app, source, report }: UsersSource, path: string): Pick<FoundUser, 'hash' | 'totp'> {
  const file = `${path}/.htpasswd`
  const isThere = source.list(path).some(({ name, isFolder }) => name === '.htpasswd' && !isFolder)
  const [hash = '', more = ''] = (isThere ? source.text(file, 10_000)?.text.split('\n') : undefined) ?? []
  return { hash: hashIn(app, report, file, hash.trim()), totp: totpIn(report, file, more.trim()) }
}

function hashIn({ secrets }: App, report: ImportReport, file: string, hash: string): string | null {
  if (hash === '') return null
  const cost = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1]
  if (cost !== undefined && Number(cost) <= maxBcryptCost) return hash
  const own = parsePhc(hash)
  if (own && (own.key === undefined || secrets.keys.pepper.some(({ id }) => id === own.key))) return hash
  note(report, file, 'this password cannot be used here; the person has to choose a new one')
  return null
}

function totpIn(report: ImportReport, file: string, text: string): string | undefined {
  if (text === '') return undefined
  try {
    const { totp } = JSON.parse(text) as { totp?: unknown }
    if (totp === undefined) return undefined
    if (typeof totp === 'string' && /^[A-Z2-7]{16,128}$/.test(totp)) return totp
  } catch {
    // reported below
  }
  note(report, file, 'the second factor cannot be used here; the person has to set it up again')
  return undefined
}

// ---- writing

/** Inserts new accounts. Of existing accounts only the content is updated. */
export async function writeUsers(
  app: App,
  tx: Tx,
  users: readonly FoundUser[],
  report: ImportReport,
): Promise<ImportedUser[]> {
  if (users.length === 0) return []
  const rows = await selectExistingUsers(
    app.store,
    tx,
    users.map(({ id }) => id),
    users.map(({ email }) => email.key),
  )
  const importedUsers: ImportedUser[] = []
  for (const found of users) {
    const { id, email, file } = found
    const row = rows.find(one => one.id === id)
    const owner = rows.find(one => one.email_key === email.key)
    if (row && row.email_key === email.key) importedUsers.push(importedUserOf(app, found, row.revision))
    else if (row || owner) skip(report, file, 'there is another account with this id or e-mail address')
    else if (await hasEvents(tx, id)) skip(report, file, 'an account with this id has been deleted')
    else if (await addUser(app, tx, found)) importedUsers.push(importedUserOf(app, found, 0))
    else skip(report, file, 'there is another account with this id or e-mail address')
  }
  return importedUsers
}

export interface ImportedUser extends ImportedModel {
  found: FoundUser
}

const accountProperties: ReadonlySet<string> = new Set(['email', 'language', 'name', 'password', 'role', 'uuid'])

function importedUserOf({ blueprints }: App, found: FoundUser, revision: number): ImportedUser {
  const { id, texts, role } = found
  const fields = blueprints.user(role)?.fields ?? noFields
  return {
    kind: 'users',
    owner: ownerOfUser(id),
    revision,
    texts,
    fields,
    columnNames: () => accountProperties,
    isChanged: false,
    found,
  }
}

const noFields: ImportedModel['fields'] = new Map()

async function addUser(app: App, tx: Tx, found: FoundUser): Promise<boolean> {
  const { id, role, totp } = found
  const isNew = await insertAccount(tx, found)
  if (!isNew) return false
  await record(tx, { event: 'user.created', subject: id, detail: { role, revision: 1, imported: true } })
  if (totp !== undefined) await setTotp(systemContext(app, 'import'), tx, id, totp)
  return true
}
