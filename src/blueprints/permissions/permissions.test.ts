import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  type PermissionHolder,
  catalogue,
  decide,
  type Option,
  type Permission,
  permissionsWithin,
} from './permissions.ts'
import { builtInPermissions, createPermissions } from './create.ts'

const { all: allPermissions, none: noPermissions, scopes: knownScopes, from: permissionsFrom } = builtInPermissions

// ---- the oracle: an independent implementation of the documented rules

const guide = readFileSync(new URL('../../../docs/guide/permissions.md', import.meta.url), 'utf8')
/** As the guide lists them, one row per category. */
const all = [...guide.matchAll(/^\| `(\w+)` \| (`\w+`(?: `\w+`)*) \|$/gm)].flatMap(([, category, actions]) =>
  actions!.split(' ').map(action => `${category}.${action.slice(1, -1)}` as Permission),
)

/** A role as it is written, from the first entry to the last, and the permissions that it ends up with. */
interface Role {
  name: string
  yaml: string
  may: (permission: Permission) => boolean
}

const starts =
  (...prefixes: string[]) =>
  (permission: string) =>
    prefixes.some(prefix => permission.startsWith(prefix))
const is =
  (...names: string[]) =>
  (permission: string) =>
    names.includes(permission)
const not = (rule: (permission: string) => boolean) => (permission: string) => !rule(permission)

const roles: Role[] = [
  { name: 'silent', yaml: '', may: () => true },
  { name: 'all', yaml: 'true', may: () => true },
  { name: 'none', yaml: 'false', may: () => false },
  { name: 'empty', yaml: '{}', may: () => true },
  { name: 'starNo', yaml: '"*": false', may: () => false },
  { name: 'starYes', yaml: '"*": true', may: () => true },
  { name: 'noPages', yaml: 'pages: false', may: not(starts('pages.')) },
  { name: 'onlyPages', yaml: '"*": false\npages: true', may: starts('pages.') },
  { name: 'onlyOne', yaml: '"*": false\npages: { read: true }', may: is('pages.read') },
  { name: 'starLast', yaml: 'pages: { read: true }\nusers: true\n"*": false', may: () => false },
  { name: 'reader', yaml: 'pages: { "*": false, read: true, list: true }', may: permission => not(starts('pages.'))(permission) || is('pages.read', 'pages.list')(permission) },
  { name: 'starLastInside', yaml: 'pages: { read: true, "*": false }', may: not(starts('pages.')) },
  { name: 'starYesInside', yaml: 'pages: { read: false, "*": true, sort: false }', may: not(is('pages.sort')) },
  { name: 'userAndUsers', yaml: 'user: false\nusers: { delete: false }', may: not(permission => permission.startsWith('user.') || permission === 'users.delete') },
  { name: 'noUsers', yaml: 'users: false', may: not(starts('users.')) },
  { name: 'unknownNames', yaml: 'page: false\npages: { reads: false }\nfiles: { read: false }', may: not(is('files.read')) },
  { name: 'constructor', yaml: 'files: false', may: not(starts('files.')) },
] // prettier-ignore

/** No role, and a role without a blueprint: neither has permissions. */
const roleless = ['nobody', 'vanished', '__proto__', 'toString']

const options: Option[] = [
  undefined,
  null,
  true,
  false,
  {},
  { '*': true },
  { '*': false },
  { reader: true },
  { reader: false },
  { reader: false, '*': true },
  { reader: true, '*': false },
  { constructor: false, noPages: true },
  { nobody: true, vanished: true, '*': true },
]

const scopes: (readonly string[] | undefined)[] = [
  undefined,
  [],
  ['*'],
  ['pages.*'],
  ['pages.read'],
  ['users.*', 'user.changeName'],
  ['user.*'],
  ['files.read', 'files.list', 'access.*'],
  ['pages', 'pages.', '.read', 'pages.re', '*.*', 'PAGES.*', 'constructor'],
]

const wildcards = (permission: Permission) => [permission, `${permission.split('.')[0]!}.*`, '*']

function oracle(role: Role, permission: Permission, option: Option, tokens?: readonly string[]): boolean {
  if (tokens && !wildcards(permission).some(scope => tokens.includes(scope))) return false
  if (option === false) return false
  if (option === true) return true
  if (option) {
    const entries = new Map(Object.entries(option))
    const entry = entries.get(role.name) ?? entries.get('*')
    if (entry !== undefined) return entry
  }
  return role.may(permission)
}

test('the permissions are exactly those of the guide', () => {
  expect(Object.entries(catalogue).flatMap(([name, actions]) => actions.map(action => `${name}.${action}`))).toEqual(
    all,
  )
})

test.each(roles)('the role $name has the permissions of its settings, whatever blueprint and token allow', role => {
  const { permissions } = permissionsFrom(parse(role.yaml))
  const wrong: unknown[] = []
  for (const permission of all) {
    for (const option of options) {
      for (const tokens of scopes) {
        const asker: PermissionHolder = { role: role.name, permissions, scopes: tokens }
        const decided = decide(asker, permission, option)
        if (decided !== oracle(role, permission, option, tokens)) wrong.push([permission, option, tokens, decided])
      }
    }
  }
  expect(wrong).toEqual([])
})

test.each(roleless)('%s has no permissions, whatever blueprint and token allow', role => {
  const allowed = all.flatMap(permission =>
    options.flatMap(option =>
      scopes.filter(tokens => decide({ role, permissions: undefined, scopes: tokens }, permission, option)),
    ),
  )
  expect(allowed).toEqual([])
})

test.each(roles)('the shown permissions of the role $name are those it has without blueprint options', role => {
  const { permissions } = permissionsFrom(parse(role.yaml))
  for (const tokens of scopes) {
    const shown = permissionsWithin(permissions, tokens)
    for (const permission of all) {
      const [category, action] = permission.split('.') as ['pages', 'read']
      expect([permission, shown[category][action]]).toEqual([permission, oracle(role, permission, null, tokens)])
    }
  }
})

test('every permission, category and * is a valid token scope', () => {
  const categories = [...new Set(all.map(permission => `${permission.split('.')[0]!}.*`))]
  expect([...knownScopes].toSorted()).toEqual(['*', ...categories, ...all, 'pages.publish'].toSorted())
})

// ---- the permission to publish

test.each([
  ['', undefined],
  ['true', undefined],
  ['false', undefined],
  ['pages: false', undefined],
  ['pages: { "*": false, update: true }', undefined],
  ['pages: { publish: false }', false],
  ['pages: { publish: false, "*": true }', false],
  ['pages: { "*": false, publish: true }', true],
  ['pages: { publish: perhaps }', false],
  ['pages: { publish: false }\n"*": true', undefined],
])('permissions "%s" set pages.publish to %s', (yaml, expected) => {
  expect(permissionsFrom(parse(yaml)).permissions.pages.publish).toBe(expected)
})

const canPublish = (publish: boolean | undefined, option: Option, tokens?: readonly string[]) => {
  const pages = { ...allPermissions.pages, ...(publish !== undefined && { publish }) }
  const holder = { role: 'x', permissions: { ...allPermissions, pages }, scopes: tokens }
  return decide(holder, 'pages.publish', option)
}

const publishShown = (settings: unknown, tokens?: readonly string[]) =>
  permissionsWithin(permissionsFrom(settings).permissions, tokens).pages.publish

test('pages.publish is allowed unless the blueprint, the role or the scopes take it away', () => {
  expect([canPublish(undefined, null), canPublish(true, null), canPublish(false, null)]).toEqual([true, true, false])
  expect([canPublish(undefined, false), canPublish(true, { x: false }), canPublish(false, { x: true })]).toEqual([
    false,
    false,
    true,
  ])
  expect([canPublish(undefined, { y: false }), canPublish(false, { y: true })]).toEqual([true, false])
  const scoped = [['pages.update'], ['pages.publish'], ['pages.*'], ['*']].map(tokens =>
    canPublish(undefined, null, tokens),
  )
  expect(scoped).toEqual([false, true, true, true])
  expect(decide({ role: 'x', permissions: undefined }, 'pages.publish', true)).toBe(false)
})

test('pages.publish is shown where a role sets it, or where a token could publish by its other scopes', () => {
  expect([publishShown(true), publishShown(true, ['*']), publishShown(true, ['pages.read'])]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect([publishShown(true, ['pages.update']), publishShown(true, ['pages.update', 'pages.publish'])]).toEqual([
    false,
    undefined,
  ])
  expect([
    publishShown({ pages: { publish: false } }),
    publishShown({ pages: { publish: true } }, ['pages.read']),
  ]).toEqual([false, false])
})

// ---- invalid settings

const decided = (settings: unknown) => {
  const { permissions, wrong } = permissionsFrom(settings)
  const may = all.filter(permission => decide({ role: 'x', permissions }, permission))
  return { may, wrong: wrong.map(({ path }) => path.join('.')) }
}

test.each([
  ['a text', 'pages'],
  ['the word for true', 'true'],
  ['a number', 1],
  ['a list', ['pages']],
  ['an empty list', []],
])('settings that are %s allow nothing and are reported', (_, settings) => {
  expect(decided(settings)).toEqual({ may: [], wrong: [''] })
})

test.each([
  ['null', null],
  ['text', 'no'],
  ['number', 0],
  ['list', ['read']],
  ['empty list', []],
])('a category that is a %s is denied and reported', (_, value) => {
  const { may, wrong } = decided({ pages: value })
  expect(may).toEqual(all.filter(not(starts('pages.'))))
  expect(wrong).toEqual(['pages'])
})

test.each([
  ['null', null],
  ['text', 'yes'],
  ['number', 1],
  ['list', [true]],
  ['map', { read: true }],
])('an action that is a %s is denied and reported', (_, value) => {
  expect(decided({ pages: { read: value } })).toEqual({ may: all.filter(not(is('pages.read'))), wrong: ['pages.read'] })
  expect(decided({ pages: { '*': value } })).toEqual({ may: all.filter(not(starts('pages.'))), wrong: ['pages.*'] })
})

test.each([
  ['null', null],
  ['text', 'false'],
  ['number', 0],
  ['list', []],
  ['map', { read: true }],
])('a wildcard that is a %s allows nothing and is reported', (_, value) => {
  expect(decided({ '*': value })).toEqual({ may: [], wrong: ['*'] })
})

test('unknown names are reported once and ignored, also inherited ones', () => {
  const settings = parse(
    '{ page: false, constructor: false, toString: true, pages: { reads: 1, hasOwnProperty: false } }',
  ) as unknown
  expect(decided(settings)).toEqual({
    may: all,
    wrong: ['page', 'constructor', 'toString', 'pages.reads', 'pages.hasOwnProperty'],
  })
  expect(decided(JSON.parse('{ "__proto__": { "pages": false }, "pages": { "__proto__": false } }'))).toEqual({
    may: all,
    wrong: ['__proto__', 'pages.__proto__'],
  })
})

test('any settings give a complete, frozen set of permissions', () => {
  const key = fc.oneof(
    fc.constantFrom('*', ...Object.keys(catalogue), 'read', 'update', '__proto__', 'constructor'),
    fc.string(),
  )
  const settings = fc.oneof(
    fc.anything(),
    fc.dictionary(key, fc.oneof(fc.anything(), fc.dictionary(key, fc.anything()), fc.boolean())),
  )
  fc.assert(
    fc.property(settings, value => {
      const { permissions } = permissionsFrom(value)
      const flat = Object.entries(permissions).flatMap(([name, actions]) =>
        Object.entries(actions).map(([action, allowed]) => [`${name}.${action}`, typeof allowed]),
      )
      expect(flat).toEqual(all.map(permission => [permission, 'boolean']))
      expect(Object.isFrozen(permissions) && Object.values(permissions).every(Object.isFrozen)).toBe(true)
    }),
  )
})

test('shared permissions are frozen', () => {
  expect(() => Object.assign(allPermissions.pages, { read: false })).toThrow(TypeError)
  expect(() => Object.assign(noPermissions, { pages: allPermissions.pages })).toThrow(TypeError)
})

test('categories of extensions are like the built-in ones', () => {
  const own = createPermissions({ shop: ['orders', 'prices'] })
  expect(own.categories).toEqual({ ...catalogue, shop: ['orders', 'prices'] })
  expect(own.scopes).toEqual([...knownScopes, 'shop.*', 'shop.orders', 'shop.prices'])
  expect([own.all, own.none]).toMatchObject([{ shop: { orders: true } }, { shop: { orders: false, prices: false } }])
  const { permissions, wrong } = own.from({ '*': false, shop: { orders: true, gifts: true } })
  expect(wrong).toEqual([{ path: ['shop', 'gifts'], message: 'there is no action "gifts"; there are orders, prices' }])
  expect(permissions).toEqual({ ...noPermissions, shop: { orders: true, prices: false } })
  const orders = 'shop.orders' as Permission
  const may = (tokens?: string[]) => decide({ role: 'x', permissions, scopes: tokens }, orders)
  expect([may(), may(['shop.*']), may(['pages.*'])]).toEqual([true, true, false])
  expect(permissionsWithin(permissions, ['shop.prices'])).toEqual({
    ...noPermissions,
    shop: { orders: false, prices: false },
  })
  expect(decide({ role: 'x', permissions: allPermissions }, orders), 'of an extension that is not loaded').toBe(false)
})
