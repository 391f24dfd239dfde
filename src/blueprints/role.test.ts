import { expect, test } from 'vitest'
import { message } from '../platform/texts.ts'
import { problemsOf, readAll } from '../../test/blueprints.ts'
import { builtInPermissions } from './permissions/create.ts'

const { all: allPermissions, none: noPermissions } = builtInPermissions

function role(name: string, text: string, files: Record<string, string> = {}) {
  const reading = readAll({ ...files, [`users/${name}.yml`]: text })
  const problems = problemsOf(reading).map(line => line.replace(`users/${name}.yml:`, ''))
  return { ...reading.roles.get(name)!, problems }
}

test('a role is a file, and the blueprint of its users', () => {
  const { roles, problems } = readAll({
    'users/editor.yml':
      'title: {en: Editor}\ndescription: Writes\nfields: {bio: {type: text}}\noptions: {delete: false}',
    'users/default.yml': 'fields: {}',
  })
  expect(problems).toEqual([])
  expect([...roles.keys()]).toEqual(['admin', 'editor'])
  expect(roles.get('editor')).toMatchObject({
    name: 'users/editor',
    role: 'editor',
    title: { en: 'Editor' },
    description: 'Writes',
    permissions: allPermissions,
    requireSecondFactor: false,
    options: { delete: false, update: null },
  })
  expect(roles.get('editor')!.fields.has('bio')).toBe(true)
})

test('administrators exist without a file and have every permission', () => {
  expect(readAll({}).roles.get('admin')).toMatchObject({
    title: message('role.admin'),
    permissions: allPermissions,
    options: { update: null },
  })
})

test('users/default.yml describes accounts whose role has no file, and grants no permissions', () => {
  const shared =
    'fields: {bio: {type: text}}\npermissions: {pages: false}\noptions: {access: false}\nrequireSecondFactor: true'
  const { roles, user, problems } = readAll({ 'users/default.yml': shared, 'users/editor.yml': 'fields: {}' })
  expect(problems.map(({ message: problem }) => problem)).toEqual(['administrators can always see themselves'])
  expect([...roles.keys()]).toEqual(['admin', 'editor'])
  const admin = roles.get('admin')!
  expect([...admin.fields.keys()]).toEqual(['bio'])
  expect(admin).toMatchObject({ permissions: allPermissions, title: message('role.admin'), requireSecondFactor: true })
  expect([...roles.get('editor')!.fields.keys()]).toEqual([])
  expect([...user!.fields.keys()]).toEqual(['bio'])
  expect(readAll({}).user).toBeUndefined()
})

test('permissions are read from the file, with older words for true and false', () => {
  const { permissions, problems } = role(
    'editor',
    'permissions: {users: no, pages: {"*": false, read: on}, site: false}',
  )
  expect(problems).toEqual([])
  expect(permissions.users).toEqual(noPermissions.users)
  expect(permissions.pages).toEqual({ ...noPermissions.pages, read: true })
  expect(permissions.files).toEqual(allPermissions.files)
})

test.each([
  ['permissions: {page: false}', /^1:15 "page": there is no category "page"/],
  ['permissions: {pages: {reed: false}}', /^1:23 "reed": there is no action "reed"/],
  ['permissions: {pages: {read: perhaps}}', /^1:23 "read": must be true or false/],
  ['permissions: {pages: perhaps}', /^1:15 "pages": must be/],
  ['permissions: perhaps', /^1:1 permissions are true, false/],
  ['requireSecondFactor: perhaps', /^1:1 "requireSecondFactor" must be true or false/],
  ['permission: {}', /^1:1 there is no setting "permission" here; do you mean "permissions"\?/],
])('%s is reported', (text, problem) => {
  expect(role('editor', text).problems).toEqual([expect.stringMatching(problem)])
})

test('an invalid setting grants no permission', () => {
  expect(role('editor', 'permissions: {pages: {read: perhaps}}').permissions.pages.read).toBe(false)
  expect(role('editor', 'permissions: perhaps').permissions).toEqual(noPermissions)
  expect(role('editor', 'requireSecondFactor: perhaps').requireSecondFactor).toBe(true)
  expect(role('editor', 'requireSecondFactor: yes').requireSecondFactor).toBe(true)
})

test.each([
  ['is not YAML', 'permissions: {pages: ['],
  ['is a plain text', 'hello'],
  ['is a list', '- permissions'],
  ['extends what is missing', 'extends: users/gone\npermissions: {pages: {read: true}}'],
  ['extends what cannot be read', 'extends: users/broken'],
  ['extends something that extends what is missing', 'extends: [users/other]'],
])('a role whose file %s has no permissions', (_, text) => {
  const { permissions, problems } = role('editor', text, {
    'users/broken.yml': 'a: [',
    'users/other.yml': 'extends: users/gone',
  })
  expect(permissions).toEqual(noPermissions)
  expect(problems.length).toBeGreaterThan(0)
})

test('a role with an empty file has every permission', () => {
  expect(role('editor', '')).toMatchObject({ title: 'Editor', permissions: allPermissions, problems: [] })
})

test('roles can extend each other', () => {
  const { permissions, title, problems } = role(
    'writer',
    'extends: users/editor\ntitle: Writer\npermissions: {files: {delete: true}}',
    {
      'users/editor.yml': 'title: Editor\npermissions: {users: false, files: {delete: false, create: false}}',
    },
  )
  expect({ title, problems }).toEqual({ title: 'Writer', problems: [] })
  expect(permissions.users.create).toBe(false)
  expect(permissions.files).toEqual({ ...allPermissions.files, create: false })
})

test('administrators can be restricted, but can always sign in and manage accounts', () => {
  const { permissions, problems } = role('admin', 'title: Warden\npermissions:\n  "*": false\n  pages: true')
  expect(permissions.pages).toEqual(allPermissions.pages)
  expect(permissions.files).toEqual(noPermissions.files)
  expect(permissions.access).toMatchObject({ account: true, panel: true, system: true, users: true, languages: false })
  expect(permissions.users).toMatchObject({ changePassword: true, changeRole: true, create: true, delete: false })
  expect(permissions.user).toMatchObject({ changePassword: true, delete: false })
  expect(problems).toHaveLength(8)
  expect(problems[0]).toMatch(/^2:1 administrators keep "access.account"/)
})

test('administrators can always see administrators', () => {
  expect(role('admin', 'options: {access: false}').options['access']).toEqual({ '*': false, admin: true })
  expect(role('admin', 'options: {access: {"*": false, editor: true}}').options['access']).toEqual({
    '*': false,
    editor: true,
    admin: true,
  })
  expect(role('admin', 'options: {access: {editor: false}}')).toMatchObject({ options: { access: { editor: false } } })
})

test('an invalid file does not lock administrators out', () => {
  expect(role('admin', 'a: [')).toMatchObject({
    permissions: allPermissions,
    options: { access: { admin: true, '*': false }, update: { admin: true, '*': false } },
    requireSecondFactor: true, // as the file may have required
  })
  const shared = readAll({ 'users/default.yml': 'a: [' }).roles.get('admin')
  expect(shared).toMatchObject({ permissions: allPermissions, requireSecondFactor: true })
  expect(role('admin', 'extends: users/gone').permissions).toEqual(allPermissions)
})

test('role names are restricted, and nobody is reserved', () => {
  const reading = readAll({ 'users/team lead.yml': '', 'users/nobody.yml': '', 'users/Team_Lead-2.yml': '' })
  expect([...reading.roles.keys()]).toEqual(['Team_Lead-2', 'admin'])
  expect(problemsOf(reading)).toEqual([
    'users/team lead.yml:1:1 the name of a blueprint has only letters, digits, - and _',
  ])
  expect(reading.nobody).toEqual(allPermissions)
})

test('nobody.yml says what anonymous clients may read; it allows nothing else, and nothing if it cannot be read', () => {
  expect(readAll({}).nobody).toBeUndefined()
  expect(readAll({ 'users/nobody.yml': 'permissions: [' }).nobody).toEqual(noPermissions)
  const reading = readAll({
    'users/nobody.yml': 'requireSecondFactor: true\npermissions: { files: false, pages: { create: true } }',
  })
  expect(reading.nobody!.files.read).toBe(false)
  expect(problemsOf(reading)).toEqual([
    expect.stringContaining('"requireSecondFactor" has no effect here: anonymous clients have no account') as string,
    expect.stringContaining('anonymous clients never have "pages.create": they can only read') as string,
  ])
})
