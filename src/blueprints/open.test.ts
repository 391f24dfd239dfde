import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { createBlueprints, readAll, writeBlueprint } from '../../test/blueprints.ts'
import { addUser, createTestApp, password } from '../../test/harness.ts'
import { type FieldType, fieldTypeOf } from './fields/field.ts'
import { fieldTypes } from './fields/index.ts'
import { openBlueprints } from './open.ts'
import { builtInParts } from './read.ts'
import { rounds } from '../../test/slow.ts'
import { until } from '../../test/until.ts'

test('a template without a blueprint uses default; a role without one has no permissions', () => {
  const blueprints = openBlueprints(createBlueprints({ 'pages/default.yml': 'title: Plain', 'pages/note.yml': '' }))
  expect(blueprints.page('note').name).toBe('pages/note')
  expect(blueprints.page('gone')).toMatchObject({ name: 'pages/default', title: 'Plain' })
  expect(blueprints.file('gone').name).toBe('files/default')
  expect(blueprints.page('__proto__').name).toBe('pages/default')
  expect(blueprints.role('gone')).toBeUndefined()
  expect(blueprints.role('constructor')).toBeUndefined()
  expect(blueprints.templates('pages')).toEqual(['default', 'note'])
  expect(blueprints.templates('files')).toEqual(['default'])
  expect(blueprints.roles()).toEqual(['admin'])
})

// ---- changes

function watched(files: Record<string, string> = {}) {
  const site = createBlueprints(files)
  const blueprints = openBlueprints(site)
  const changed = vi.fn<() => void>()
  blueprints.watch(changed)
  onTestFinished(() => blueprints.close())
  return { site, blueprints, changed, folder: join(site, 'blueprints') }
}

const title = (blueprints: ReturnType<typeof openBlueprints>, template: string) => blueprints.page(template).title

test('a change is read shortly after, with a new version', async () => {
  const { site, blueprints, changed } = watched({ 'pages/note.yml': 'title: One' })
  const before = blueprints.version
  writeBlueprint(site, 'pages/note.yml', 'title: Two')
  await until(() => expect(title(blueprints, 'note')).toBe('Two'))
  expect(blueprints.version).toBe(before + 1)
  expect(changed).toHaveBeenCalledTimes(1)
})

test('renamed, new and deleted files and new folders are noticed', async () => {
  const { site, blueprints, folder } = watched({ 'pages/note.yml': 'title: One' })
  writeFileSync(join(folder, 'pages/note.yml~'), 'title: Two')
  renameSync(join(folder, 'pages/note.yml~'), join(folder, 'pages/note.yml'))
  await until(() => expect(title(blueprints, 'note')).toBe('Two'))
  writeBlueprint(site, 'pages/other.yml', 'title: Other')
  await until(() => expect(blueprints.templates('pages')).toEqual(['default', 'note', 'other']))
  writeBlueprint(site, 'users/editor.yml', 'title: Editor')
  await until(() => expect(blueprints.roles()).toEqual(['admin', 'editor']))
  writeBlueprint(site, 'users/editor.yml', 'title: Writer')
  await until(() => expect(blueprints.role('editor')!.title).toBe('Writer'))
  rmSync(join(folder, 'pages/note.yml'))
  await until(() => expect(blueprints.templates('pages')).toEqual(['default', 'other']))
})

test('the folder can be deleted and created again', async () => {
  const { site, blueprints, folder } = watched()
  writeBlueprint(site, 'pages/note.yml', 'title: One')
  await until(() => expect(title(blueprints, 'note')).toBe('One'))
  rmSync(folder, { recursive: true })
  await until(() => expect(blueprints.templates('pages')).toEqual(['default']))
  mkdirSync(folder)
  await wait(150)
  writeBlueprint(site, 'pages/note.yml', 'title: Two')
  await until(() => expect(title(blueprints, 'note')).toBe('Two'))
  renameSync(folder, `${folder}-old`)
  await until(() => expect(blueprints.templates('pages')).toEqual(['default']))
  renameSync(`${folder}-old`, folder)
  await until(() => expect(title(blueprints, 'note')).toBe('Two'))
  writeBlueprint(site, 'pages/note.yml', 'title: Three')
  await until(() => expect(title(blueprints, 'note')).toBe('Three'))
})

test('many changes at once cause one reload', async () => {
  const { site, blueprints } = watched({ 'pages/note.yml': 'title: 0' })
  const before = blueprints.version
  for (let round = 1; round <= 50; round++) writeBlueprint(site, 'pages/note.yml', `title: "${round}"`)
  await until(() => expect(title(blueprints, 'note')).toBe('50'))
  expect(blueprints.version).toBeLessThanOrEqual(before + 2)
})

test('a write without a change causes no reload', async () => {
  const { site, blueprints, changed } = watched({ 'pages/note.yml': 'title: One' })
  const before = blueprints.version
  writeBlueprint(site, 'pages/note.yml', 'title: One')
  writeFileSync(join(site, 'other.txt'), 'text')
  writeFileSync(join(site, 'blueprints/readme.md'), 'text')
  await wait(400)
  expect(blueprints.version).toBe(before)
  expect(changed).not.toHaveBeenCalled()
})

test('after close nothing is reloaded', async () => {
  const { site, blueprints, changed } = watched({ 'pages/note.yml': 'title: One' })
  writeBlueprint(site, 'pages/note.yml', 'title: Two')
  blueprints.close()
  blueprints.close()
  await wait(400)
  expect(title(blueprints, 'note')).toBe('One')
  expect(changed).not.toHaveBeenCalled()
})

test('a missing folder is watched without errors', () => {
  const blueprints = openBlueprints('/nowhere/at/all')
  blueprints.watch(() => {})
  blueprints.close()
  expect(blueprints.problems).toEqual([])
})

test('a cached response is not sent after a change of the blueprints', async () => {
  const site = await createTestApp()
  writeBlueprint(site.storage.data, 'users/writer.yml', 'permissions: {pages: {delete: true}}')
  site.app.blueprints.watch(() => {})
  await until(() => expect(site.app.blueprints.role('writer')).toBeDefined())
  const { email } = await addUser(site, { role: 'writer' })
  const browser = site.browser()
  await browser.client.auth.login({ email, password })
  const canDelete = async () => {
    const answer = await browser.send({ url: '/api/auth?select=permissions' })
    return answer.json<{ data: { permissions: { pages: { delete: boolean } } } }>().data.permissions.pages.delete
  }
  expect([await canDelete(), await canDelete(), await canDelete()]).toEqual([true, true, true])
  const before = site.app.blueprints.version
  writeBlueprint(site.storage.data, 'users/writer.yml', 'permissions: {pages: {delete: false}}')
  await until(() => expect(site.app.blueprints.version).toBeGreaterThan(before))
  expect(await canDelete()).toBe(false)
})

// ---- anything

test('parents of parents are limited', () => {
  const files = Array.from({ length: 300 }, (_, index) => [`fields/f${index}.yml`, `extends: fields/f${index + 1}`])
  const { problems, pages } = readAll({ ...Object.fromEntries(files), 'pages/it.yml': 'fields: {text: fields/f0}' })
  expect(problems).toContainEqual(
    expect.objectContaining({
      file: 'blueprints/fields/f19.yml',
      message: expect.stringContaining('more than 20 files'),
    }),
  )
  expect(pages.get('it')!.fields.has('text')).toBe(true)
})

test('no setting of any field type throws', () => {
  const names = Object.keys(fieldTypes)
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.infiniteStream(fc.jsonValue({ maxDepth: 3 })), (type, values) => {
      const every = [
        'label',
        'default',
        'when',
        'fields',
        'fieldsets',
        'settings',
        ...Object.keys(fieldTypes[type]!.settings.shape),
      ]
      const settings = Object.fromEntries(every.map(name => [name, values.next().value]))
      const { pages } = readAll({ 'pages/it.yml': stringify({ fields: { it: { ...settings, type } } }) })
      const { fields, broken } = pages.get('it')!
      expect(fields.has('it')).toBe(!broken.has('it'))
    }),
    { numRuns: rounds(40, 200) },
  )
})

test('any YAML gives usable blueprints', () => {
  const word = fc.constantFrom(
    'title', 'label', 'type', 'fields', 'sections', 'columns', 'tabs', 'options', 'status', 'num', 'preset', 'extends', 'accept', 'permissions',
    'fieldsets', 'settings', 'when', 'default', 'required', 'width', 'text', 'structure', 'blocks', 'layout', 'object', 'group', 'select', 'pages',
    'files', 'page', 'draft', 'listed', '*', 'admin', 'constructor', 'toString', 'a', 'fields/a', 'blocks/a', 'pages/it', 'tabs/a', '{{ page.title }}', 'en',
  ) // prettier-ignore
  const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 6, depthSize: 'medium' },
      word,
      fc.constantFrom(true, false, null, 0, 1, -1.5),
      fc.string({ maxLength: 5 }),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(word, tie('tree'), { maxKeys: 6 }),
      fc.dictionary(word, tie('tree'), { maxKeys: 6 }),
    ),
  }))
  fc.assert(
    fc.property(fc.dictionary(word, tree), fc.dictionary(word, tree), fc.dictionary(word, tree), (one, two, three) => {
      const { pages, files, roles, site, problems } = readAll({
        'site.yml': stringify(three),
        'pages/it.yml': stringify(one),
        'fields/a.yml': stringify(two),
        'blocks/a.yml': stringify(three),
        'tabs/a.yml': stringify(two),
        'files/it.yml': stringify(two),
        'users/it.yml': stringify(one),
        'users/admin.yml': stringify(two),
      })
      for (const blueprint of [site, pages.get('it')!, files.get('it')!, roles.get('it')!, roles.get('admin')!]) {
        JSON.stringify(blueprint.tabs) // no cycles in what is shown
        for (const [name, field] of blueprint.fields) {
          expect(field).toMatchObject({ name, type: expect.any(String) })
          expect(blueprint.broken.has(name)).toBe(false)
        }
      }
      expect(roles.get('admin')!.permissions.access.panel).toBe(true)
      for (const { file, line, column, message } of problems) {
        expect(file).toMatch(/^blueprints\/[\w/]+\.yml$/)
        expect(line * column).toBeGreaterThan(0)
        expect(message).toMatch(/^[^\n]+$/)
      }
    }),
    { numRuns: rounds(10, 50) },
  )
})

test('extensions add field types and folders of blueprints; those of the site win', () => {
  const site = createBlueprints({
    'pages/book.yml': 'title: Ours\nfields: { code: { type: isbn }, street: { extends: fields/street } }',
  })
  const added = createBlueprints({
    'pages/book.yml': 'title: Theirs',
    'pages/shelf.yml': 'title: Shelf\nfields: { code: { type: nothing } }',
    'fields/street.yml': 'type: text\nlabel: Street',
    'users/boss.yml': 'title: Boss',
  })
  const isbn: FieldType = { ...fieldTypes['text']!, read: stored => ['ISBN', stored] }
  const folders = [join(added, 'blueprints')]
  const blueprints = openBlueprints(site, { ...builtInParts, types: { ...fieldTypes, isbn }, folders })
  const { fields, title: book } = blueprints.page('book')
  expect([book, title(blueprints, 'shelf'), blueprints.roles()]).toEqual(['Ours', 'Shelf', ['admin']])
  expect(fields.get('street')).toMatchObject({ type: 'text', label: 'Street' })
  const code = fields.get('code')!
  expect(fieldTypeOf(code).read('1', code)).toEqual(['ISBN', '1'])
  expect(JSON.stringify(code), 'the type is no setting').not.toContain('nested')
  const path = (name: string) => join(relative(site, added), 'blueprints', name)
  expect(blueprints.problems.map(({ file, message }) => [file, message])).toEqual([
    [path('pages/shelf.yml'), expect.stringContaining('there is no field type "nothing"')],
    [path('users/boss.yml'), 'an extension can only describe blocks, fields, sections, tabs, pages and files'],
  ])
})
