import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/exhibit.yml': `
title: { en: Exhibit, de: Exponat }
status: { draft: { label: { en: Workshop, de: Werkstatt }, text: Not yet }, listed: On show }
num: zero
options: { changeTemplate: [exhibit, default], preview: "{{ page.url }}?look=1", delete: { admin: true } }
tabs:
  main:
    label: { en: Main, de: Haupt }
    columns:
      - width: 1/2
        fields:
          label: { type: text, label: { en: Label, de: Schild }, placeholder: { en: Type, de: Tippe } }
          tide: { type: radio, options: { low: Low, high: { en: High tide, de: Flut }, de: Deutsch } }
          open: { type: toggle, text: [{ en: shut, de: zu }, { en: open, de: auf }] }
          body: { type: blocks, fieldsets: [image] }
      - width: 1/2
        sections:
          notes: { type: pages, label: { en: Notes, de: Notizen }, info: "{{ page.year }}", empty: { en: None, de: Keine } }
      - width: 1/1
  files:
    preset: nothing
`,
  'pages/plain.yml': 'preset: page\nfields: { text: { type: textarea } }',
})
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
await addPage(site, '', { slug: 'a', template: 'exhibit', draft: true })
await addPage(site, '', { slug: 'b', template: 'plain', draft: true })
const speak = (language: string) =>
  site.app.store.db.updateTable('users').set({ language }).where('id', '=', admin.id).execute()

test('a blueprint shows its settings, with the preview URL filled in', async () => {
  const { data } = await admin.done('GET', 'pages/a/blueprint')
  expect(data).toMatchObject({
    name: 'pages/exhibit',
    num: 'zero',
    options: {
      changeTemplate: ['exhibit', 'default'],
      preview: '{{ page.url }}?look=1',
      delete: { admin: true },
      update: null,
    },
    preview: `${site.app.config.url}/a?look=1`,
    status: { draft: { label: 'Workshop', text: 'Not yet' }, listed: { label: 'On show', text: null } },
    title: 'Exhibit',
  })
  expect(data.tabs[0]).toMatchObject({ label: 'Main', link: '/pages/a/?tab=main', name: 'main' })
  expect((await admin.done('GET', 'pages/a/blueprint?select=num,name')).data).toEqual({
    name: 'pages/exhibit',
    num: 'zero',
  })
})

test('every text is in the language of the caller, and nothing else is translated', async () => {
  await speak('de')
  const { data } = await admin.done('GET', 'pages/a/blueprint')
  const [left, right, empty] = data.tabs[0].columns
  expect(data).toMatchObject({
    title: 'Exponat',
    status: { draft: { label: 'Werkstatt' } },
    tabs: [{ label: 'Haupt' }, {}],
  })
  expect(left.sections['main-col-0-fields'].fields).toMatchObject({
    label: { label: 'Schild', placeholder: 'Tippe', type: 'text' },
    // As the blueprint has them: sections show the options of a field in the language of the reader.
    tide: { options: { low: 'Low', high: { en: 'High tide', de: 'Flut' }, de: 'Deutsch' } },
    open: { text: ['zu', 'auf'] },
  })
  expect(right.sections.notes).toMatchObject({ label: 'Notizen', info: '{{ page.year }}', empty: 'Keine' })
  expect(empty.sections['main-info-2']).toMatchObject({ type: 'info', text: expect.any(String) as string })
  await speak('en')
  const { tabs } = (await admin.done('GET', 'pages/b?select[blueprint][]=tabs')).data.blueprint
  expect(tabs[0].columns[1].sections).toMatchObject({ pages: { label: 'Pages' }, files: { label: 'Files' } })
})
