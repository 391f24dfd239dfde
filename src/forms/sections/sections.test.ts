import { expect, test } from 'vitest'
import { createImage, createUploader } from '../../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'site.yml': `
sections:
  toplevel: { type: pages, label: Main pages, status: published, info: "{{ page.status }}", templatesIgnore: [secret] }
  drafts: { type: pages, status: draft, create: [note] }
  numbers:
    type: stats
    size: small
    reports:
      - { label: Notes, value: "{{ site.find('notes').children.count }}", link: /pages/notes, theme: positive }
      - { label: { en: Nothing, de: Nichts }, value: "{{ site.nothing.at.all }}", info: so far }
  hint: { type: info, label: Reminder, theme: notice, text: "Ring **twice**, {{ site.title }} <script>alert(1)</script>" }
  settings:
    type: fields
    fields:
      title: { type: text }
      tagline: { type: text, maxlength: 60, help: Some *help* }
`,
  'pages/notes.yml': `
title: Notebook
icon: box
sections:
  listed: { type: pages, status: listed, template: note, layout: table, info: "{{ page.year }}", columns: { year: { label: Year, width: 1/4 }, keeper: { label: Keeper, value: "{{ page.author.toUser.email }}" } } }
  sorted: { type: pages, sortBy: title desc, search: true, limit: 2 }
  few: { type: pages, label: Few, status: all, min: 5, max: 3 }
  elsewhere: { type: pages, parent: "site.find('other')" }
  found: { type: pages, query: "site.find('notes').children.filterBy('year', '>', 1900).sortBy('year', 'desc')" }
  pictures: { type: files, template: image, layout: cards, max: 2, info: "{{ file.niceSize }}" }
  papers: { type: files, sortBy: filename desc, search: true }
  about: { type: info, text: "{{ page.title }} has {{ page.children.count }} notes by {{ page('other').title }}" }
`,
  'pages/note.yml': `
title: Note
status: { draft: Sketch, unlisted: true, listed: { label: { en: Printed, de: Gedruckt } } }
fields:
  year: { type: number }
  author: { type: users }
`,
  'pages/album.yml': 'title: Album\nimage: { query: page.cover }\nfields: { cover: { type: files } }',
  'pages/secret.yml': 'title: Secret\noptions: { list: { admin: true, "*": false } }',
  'pages/fields.yml': `
title: Field cabinet
fields:
  ftext: { type: text, label: { en: Text, de: Ein Text }, help: Some *help*, before: "<", default: "For {{ page.slug }}" }
  fnumber: { type: number, min: 0 }
  fdate: { type: date, min: 2020-01-01, time: true }
  fquarters: { type: date, time: { step: 15 } }
  ftime: { type: time }
  farea: { type: textarea, files: page.images, uploads: image }
  fmail: { type: email }
  fquery: { type: select, options: { type: query, query: "site.find('notes').children.listed", text: "{{ page.title }}!", value: "{{ page.slug }}" } }
  fany: { type: select, accept: all, options: [red] }
  fapi: { type: select, options: { type: api, url: http://169.254.169.254/ } }
  fchoice: { type: radio, options: { low: Low tide, high: { en: High tide, de: Flut } } }
  frows: { type: structure, fields: { what: { type: text, required: true }, qty: { type: number } } }
  fobject: { type: object, fields: { street: { type: text } } }
  fblocks: { type: blocks, fieldsets: [heading, text] }
  fpages: { type: pages, text: "{{ page.title }}", min: 2, default: [notes] }
  ffiles: { type: files, uploads: image }
  fusers: { type: users, default: false, image: false }
  ftwelve: { type: time, notation: 12, min: "06:00" }
  fletters: { type: text, validate: alpha, converter: slug }
  fnote: { type: info, text: "Plain *note* for {{ page.title }}", theme: positive }
  fbroken: { type: no-such-type }
  fhidden: { type: hidden }
`,
  'files/image.yml': 'title: Picture\naccept: image/*\nfields: { alt: { type: text, required: true } }',
})
const profile = 'sections: { profile: { type: fields, fields: { bio: { type: textarea } } } }'
describeRole(storage, 'admin', profile)
describeRole(storage, 'manager', profile)
describeRole(storage, 'reader', 'permissions: { pages: { create: false, update: false }, files: { create: false } }')
describeRole(storage, 'author', 'permissions: { pages: { publish: false } }')
describeRole(storage, 'outsider', "permissions: { '*': false, access: { panel: true, site: true } }")
const app = await createTestApp({ storage })
const admin = await createTokenClient(app)
const reader = await createTokenClient(app, { role: 'reader' })
const outsider = await createTokenClient(app, { role: 'outsider' })
const author = await createTokenClient(app, { role: 'author' })

const notes = await addPage(app, '', { slug: 'notes', title: 'Notes', template: 'notes' })
// Became listed before its blueprint required more entries than it has.
await app.app.store.db.updateTable('pages').set({ status: 'listed', num: 1 }).where('uuid', '=', notes).execute()
const otherPage = await addPage(app, '', { slug: 'other', title: 'Ida <b>', template: 'default', status: 'unlisted' })
await addPage(app, '', { slug: 'vault', template: 'secret', status: 'unlisted' })
await addPage(app, '', { slug: 'cabinet', title: 'Cabinet', template: 'fields', draft: true })
await addPage(app, otherPage, { slug: 'inside', title: 'Inside', draft: true })
const note = (slug: string, year: number, status: 'listed' | 'unlisted') =>
  addPage(app, notes, {
    slug,
    title: `Note ${slug}`,
    template: 'note',
    content: { year, author: [`user://${admin.id}`] },
    status,
  })
await note('a', 1888, 'listed')
await note('b', 1950, 'listed')
await note('c', 1990, 'unlisted')
await addPage(app, notes, { slug: 'hidden', template: 'secret', status: 'unlisted' })
const sender = await createUploader(await createSignedInUser(app))
const upload = (path: string, filename: string, fields: Record<string, string> = {}) =>
  createImage().then(bytes => sender.send(path, [{ filename, bytes, type: 'image/png' }], fields))
await upload('pages/notes/files', 'gears.png', { template: 'image' })
await upload('pages/notes/files', 'anchor.png')

// oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
const section = async (who: typeof admin, path: string): Promise<any> => who.done('GET', path)
const idsIn = (shown: { data: { id: string }[] }) => shown.data.map(({ id }) => id)

test('the image of a page is the file in its files field, or none', async () => {
  await addPage(app, notes, { slug: 'album', template: 'album', draft: true })
  await upload('pages/notes+album/files', 'first.png')
  await upload('pages/notes+album/files', 'second.png')
  const imageOfAlbum = async () =>
    (await section(admin, 'pages/notes/children?status=draft&select=id,panelImage')).data[0].panelImage
  expect(await imageOfAlbum()).not.toHaveProperty('url')
  await admin.done('PATCH', 'pages/notes+album', { cover: ['second.png'] })
  expect(await imageOfAlbum()).toMatchObject({ url: expect.stringContaining('second.png') as string })
  await admin.done('DELETE', 'pages/notes+album')
})

test('on request, listed pages have the name of their status, as the blueprint has it', async () => {
  const labels = async (query: string) =>
    (await section(admin, `pages/notes/sections/${query}`)).data.map(
      ({ id, state }: { id: string; state?: { statusLabel: string } }) => [id, state?.statusLabel],
    )
  expect(await labels('few?states=true')).toEqual([
    ['notes/a', 'Printed'],
    ['notes/b', 'Printed'],
    ['notes/c', 'Unlisted'],
    ['notes/hidden', 'Unlisted'],
  ])
  expect(await labels('listed?states=false')).toEqual([
    ['notes/a', undefined],
    ['notes/b', undefined],
  ])
  const { data } = await admin.done('GET', 'pages/notes/children?select=id,statusLabel&status=listed')
  expect(data).toEqual([
    { id: 'notes/a', statusLabel: 'Printed' },
    { id: 'notes/b', statusLabel: 'Printed' },
  ])
  const { data: items } = await section(author, 'pages/notes/sections/listed?states=true')
  expect(items[0].state).toMatchObject({ publish: false, statusLabel: 'Printed', changes: null, schedule: null })
  expect(await admin.call('GET', 'pages/notes/sections/few?states=yes')).toMatchObject({ status: 400 })
})

test('a list of pages has its items, its options and a pagination', async () => {
  const shown = await section(admin, 'site/sections/toplevel?page=9')
  expect(shown).toMatchObject({ status: 200, name: 'toplevel', type: 'pages', code: 200 })
  expect(shown.data[0]).toEqual({
    dragText: `(link: page://${notes} text: Notes)`,
    id: 'notes',
    image: {
      back: 'pattern',
      color: 'gray-500',
      cover: false,
      icon: 'box',
      src: expect.stringContaining('data:') as string,
      srcset: expect.stringMatching(/anchor-38x\.png 38w, .*anchor-76x\.png 76w/) as string,
      url: expect.stringContaining('/media/pages/notes/') as string,
    },
    info: 'listed',
    link: '/pages/notes',
    parent: null,
    permissions: { sort: true, changeSlug: true, changeStatus: true, changeTitle: true },
    status: 'listed',
    template: 'notes',
    text: 'Notes',
  })
  expect(idsIn(shown)).toEqual(['notes', 'other'])
  expect(shown.errors).toEqual({})
  expect(shown.options).toEqual({
    add: false,
    columns: {},
    empty: null,
    headline: 'Main pages',
    help: null,
    layout: 'list',
    link: null,
    max: null,
    min: null,
    search: false,
    size: 'auto',
    sortable: true,
  })
  expect(shown.pagination).toEqual({ limit: 20, offset: 0, page: 1, total: 2 })
})

test('only listable pages are listed and counted', async () => {
  expect(idsIn(await section(admin, 'pages/notes/sections/few'))).toEqual([
    'notes/a',
    'notes/b',
    'notes/c',
    'notes/hidden',
  ])
  const few = await section(reader, 'pages/notes/sections/few')
  expect(idsIn(few)).toEqual(['notes/a', 'notes/b', 'notes/c'])
  expect(few.pagination.total).toBe(3)
  expect((await section(outsider, 'site/sections/toplevel')).pagination).toMatchObject({ total: 0, page: 0 })
})

test('too few and too many items are errors, and a full section accepts no more', async () => {
  const few = await section(admin, 'pages/notes/sections/few')
  expect(few.errors).toEqual({
    few: { label: 'Few', message: { min: 'This needs at least 5 entries.', max: 'This can have at most 3 entries.' } },
  })
  expect(few.options).toMatchObject({ add: false, min: 5, max: 3 })
  expect((await section(admin, 'site/sections/drafts')).options).toMatchObject({ add: true, sortable: false })
  expect((await section(reader, 'site/sections/drafts')).options.add).toBe(false)
})

test('a section is sorted, searched, paginated and clamped', async () => {
  const first = await section(admin, 'pages/notes/sections/sorted')
  expect(idsIn(first)).toEqual(['notes/c', 'notes/b'])
  expect(first.options).toMatchObject({ search: true, sortable: false })
  const last = await section(admin, 'pages/notes/sections/sorted?page=50')
  expect(last).toMatchObject({
    data: [{ id: 'notes/a' }, { id: 'notes/hidden' }],
    pagination: { page: 2, total: 4, offset: 2, limit: 2 },
  })
  expect(idsIn(await section(admin, 'pages/notes/sections/sorted?searchterm=note%20b'))).toContain('notes/b')
  expect(idsIn(await section(admin, 'pages/notes/sections/sorted?searchterm=zebra'))).toEqual([])
})

test('a section lists the pages of another parent, or the results of a query', async () => {
  const elsewhere = await section(admin, 'pages/notes/sections/elsewhere')
  expect(idsIn(elsewhere)).toEqual(['other/inside'])
  expect(elsewhere.options.link).toBe('/pages/other')
  expect(idsIn(await section(reader, 'pages/notes/sections/found'))).toEqual(['notes/c', 'notes/b'])
})

test('a table has columns, and every item has cells', async () => {
  const { options, data } = await section(admin, 'pages/notes/sections/listed')
  expect(Object.keys(options.columns)).toEqual(['image', 'title', 'info', 'year', 'keeper', 'flag'])
  expect(options.columns.year).toEqual({ id: 'year', label: 'Year', type: 'number', width: '1/4' })
  expect(options.columns.keeper, 'a text of its own has no type').toMatchObject({ type: null })
  expect(data).toMatchObject([
    { id: 'notes/a', info: '1888', year: 1888, flag: null, title: { text: 'Note a', href: '/pages/notes+a' } },
    { id: 'notes/b', keeper: expect.stringContaining('@example.org') as string },
  ])
})

test('files are listed with the upload options', async () => {
  const shown = await section(admin, 'pages/notes/sections/pictures')
  expect(shown.data).toMatchObject([
    {
      dragText: '(image: gears.png)',
      extension: 'png',
      filename: 'gears.png',
      id: 'notes/gears.png',
      image: { icon: 'image', color: 'orange-500', srcset: expect.stringContaining('352w') as string },
      info: expect.stringMatching(/B$/) as string,
      link: '/pages/notes/files/gears.png',
      mime: 'image/png',
      parent: 'pages/notes',
      template: 'image',
      text: 'gears.png',
    },
  ])
  expect(shown.options).toMatchObject({
    accept: expect.stringMatching(/^(\.\w+,)+\.\w+$/) as string,
    apiUrl: 'pages/notes/sections/pictures',
    layout: 'cards',
    max: 2,
    upload: { multiple: false, max: 1, api: 'pages/notes/files', attributes: { sort: 2, template: 'image' } },
  })
  expect((await section(reader, 'pages/notes/sections/pictures')).options.upload).toBe(false)
  const papers = await section(admin, 'pages/notes/sections/papers')
  expect(papers.data.map(({ filename }: { filename: string }) => filename)).toEqual(['gears.png', 'anchor.png'])
  expect(papers.options).toMatchObject({ accept: null, sortable: false })
  const found = await section(admin, 'pages/notes/sections/papers?searchterm=anchor')
  expect(found.data).toMatchObject([{ filename: 'anchor.png' }])
})

const order = async () =>
  ((await admin.done('GET', 'pages/notes/files?select=filename')).data as { filename: string }[]).map(
    ({ filename }) => filename,
  )

test('the files of a section can be sorted through it', async () => {
  expect(await order()).toEqual(['anchor.png', 'gears.png'])
  const files = ['notes/gears.png', 'anchor.png']
  const sort = (who: typeof admin, name: string) =>
    who.call('PATCH', `pages/notes/sections/${name}/sort`, { files, index: '0' })
  expect(await sort(reader, 'pictures')).toMatchObject({ status: 200 })
  expect(await order()).toEqual(['gears.png', 'anchor.png'])
  for (const name of ['listed', 'nope'])
    expect(await sort(admin, name)).toMatchObject({ status: 404, key: 'error.section.notFound' })
})

test('placeholders in stats and info are filled in, and HTML is escaped', async () => {
  expect(await section(admin, 'site/sections/numbers')).toMatchObject({
    type: 'stats',
    headline: 'Numbers',
    label: null,
    size: 'small',
    reports: [
      { icon: null, info: null, label: 'Notes', link: '/pages/notes', theme: 'positive', value: '4' },
      { icon: null, info: 'so far', label: 'Nothing', link: null, theme: null, value: '' },
    ],
  })
  expect((await section(reader, 'site/sections/numbers')).reports[0].value, 'counts what they see').toBe('3')
  const hint = await section(admin, 'site/sections/hint')
  expect(hint).toMatchObject({ type: 'info', label: 'Reminder', theme: 'notice', icon: null })
  expect(hint.text).toBe('<p>Ring <strong>twice</strong>, Site </p>')
  expect((await section(admin, 'pages/notes/sections/about')).text).toBe('<p>Notes has 4 notes by Ida &lt;b&gt;</p>')
  expect((await section(outsider, 'site/sections/numbers')).reports[0].value).toBe('')
})

test('fields are described for a form', async () => {
  const { fields } = await section(admin, 'pages/cabinet/sections/main-fields')
  expect(fields.ftext).toEqual({
    autofocus: false,
    before: '<',
    counter: true,
    default: 'For {{ page.slug }}',
    disabled: false,
    font: 'sans-serif',
    help: '<p>Some <em>help</em></p>',
    hidden: false,
    label: 'Text',
    name: 'ftext',
    required: false,
    saveable: true,
    signature: expect.stringMatching(/^[\da-f]{32}$/) as string,
    spellcheck: false,
    strict: true,
    translate: true,
    type: 'text',
    width: '1/1',
  })
  expect(Object.keys(fields.ftext)).toEqual(Object.keys(fields.ftext).toSorted())
  expect(fields).toMatchObject({
    fnumber: { default: '', min: 0, step: '' },
    fdate: {
      default: '',
      format: 'Y-m-d H:i:s',
      min: '2020-01-01 00:00:00+00:00',
      step: { size: 5, unit: 'minute' },
      time: { type: 'time', name: 'time', display: 'HH:mm', value: '' },
    },
    fquarters: { step: { size: 15, unit: 'minute' }, time: { step: { size: 15, unit: 'minute' } } },
    ftime: { format: 'H:i:s', display: 'HH:mm', step: { size: 5, unit: 'minute' } },
    ftwelve: { display: 'hh:mm a', min: expect.stringMatching(/^[\d-]{10} 06:00:00\+00:00$/) as string },
    fletters: { validate: 'alpha', default: '' },
    ffiles: {
      parent: 'pages/cabinet',
      query: 'page.files',
      uploads: { template: 'image', accept: expect.stringContaining('.png') as string },
    },
    fusers: { default: [], image: false },
    farea: {
      files: { query: 'page.images' },
      uploads: { template: 'image', accept: expect.stringContaining('.png') as string },
    },
    fmail: { autocomplete: 'email', placeholder: expect.any(String) as string },
    fquery: {
      options: [
        { disabled: false, icon: null, info: null, text: 'Note a!', value: 'a' },
        { text: 'Note b!', value: 'b' },
      ],
    },
    fany: { accept: 'all', options: [{ value: 'red' }] },
    fapi: { options: [] },
    fchoice: {
      options: [
        { text: 'Low tide', value: 'low' },
        { text: 'High tide', value: 'high' },
      ],
    },
    frows: {
      columns: { what: { type: 'text', label: 'What', mobile: true }, qty: { type: 'number', label: 'Qty' } },
      fields: { what: { required: true, value: '', type: 'text' }, qty: { value: '' } },
    },
    fobject: { default: '', fields: { street: { label: 'Street' } } },
    fblocks: {
      group: 'blocks',
      fieldsets: { heading: { name: 'Heading', type: 'heading', tabs: { content: { fields: { level: {} } } } } },
    },
    fpages: {
      default: [{ id: 'notes', uuid: `page://${notes}` }],
      layout: 'list',
      link: true,
      min: 2,
      multiple: true,
      required: true,
      search: true,
      store: 'uuid',
      subpages: true,
      text: '{{ page.title }}',
    },
    fnote: { text: '<p>Plain <em>note</em> for Cabinet</p>', theme: 'positive', saveable: false },
    fbroken: { type: 'info', label: 'Error', theme: 'negative' },
    fhidden: { hidden: true },
  })
  expect(fields.fapi).not.toHaveProperty('accept')
  expect(fields.fusers).not.toHaveProperty('text')
  expect(fields.fnote).not.toHaveProperty('required')
})

test('without the permission to update fields are disabled; the title is separate', async () => {
  const { fields } = await section(reader, 'pages/cabinet/sections/main-fields')
  expect(fields.ftext.disabled).toBe(true)
  const settings = await section(admin, 'site/sections/settings')
  expect(Object.keys(settings.fields)).toEqual(['tagline'])
  expect(settings.fields.tagline).toMatchObject({ help: '<p>Some <em>help</em></p>', maxlength: 60 })
})

test('accounts and files have sections, too', async () => {
  expect(await section(admin, `users/${admin.id}/sections/profile`)).toMatchObject({
    type: 'fields',
    fields: { bio: { type: 'textarea', uploads: { accept: '*' }, files: [], default: '' } },
  })
  expect(await section(admin, 'pages/notes/files/gears.png/sections/main-fields')).toMatchObject({
    fields: { alt: { required: true } },
  })
  expect(await admin.call('GET', 'pages/notes/files/nope.png/sections/main-fields')).toMatchObject({ status: 404 })
})

test('fields of a stronger account are disabled, as its update is refused', async () => {
  const manager = await createTokenClient(app, { role: 'manager' })
  expect(await section(manager, `users/${admin.id}/sections/profile`)).toMatchObject({
    fields: { bio: { disabled: true } },
  })
  expect(await manager.call('PATCH', `users/${admin.id}`, { bio: 'x' })).toMatchObject({ status: 403 })
  expect(await section(manager, `users/${manager.id}/sections/profile`)).toMatchObject({
    fields: { bio: { disabled: false } },
  })
})

test('unknown and invisible sections are not found', async () => {
  for (const path of ['site/sections/nope', 'pages/notes/sections/nope', `users/${admin.id}/sections/constructor`])
    expect(await admin.call('GET', path)).toMatchObject({ status: 404, key: 'error.section.notFound' })
  expect(await outsider.call('GET', 'pages/notes/sections/about')).toMatchObject({
    status: 404,
    key: 'error.page.notFound',
  })
  expect(await admin.call('GET', 'site/sections/toplevel?page=-1')).toMatchObject({ status: 400 })
})

test('the templates of a page or of a section are listed', async () => {
  const names = async (path: string) => {
    const { headers: _, status: __, details: ___, key: ____, ...list } = await admin.done('GET', path)
    return Object.values(list)
  }
  expect(await names('pages/notes/blueprints')).toEqual([{ name: 'notes', title: 'Notebook' }])
  expect(await names('pages/notes/blueprints?section=listed')).toEqual([{ name: 'note', title: 'Note' }])
  expect(await names(`users/${admin.id}/blueprints`)).toEqual([])
  expect(await admin.call('GET', 'pages/notes/blueprints?section=nope')).toMatchObject({
    status: 404,
    key: 'error.section.notFound',
  })
  expect((await admin.done('GET', `users/${admin.id}/blueprint`)).data).toMatchObject({
    name: 'users/admin',
    tabs: [{ link: '/account/?tab=main' }],
  })
})
