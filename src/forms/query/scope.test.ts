import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { describeRole } from '../../../test/signed-in-user.ts'

/** Results of queries for an administrator, and for an account with fewer permissions. */
const queries: Record<string, [string, string?]> = {
  'page.title': ['Notes'],
  'page.slug': ['notes'],
  'page.id': ['notes'],
  'page.status': ['listed'],
  'page.num': ['1'],
  'page.template': ['notes'],
  'page.isListed': ['true'],
  'page.isDraft': ['false'],
  'page.year': ['1888'],
  'page.content.year': ['1888'],
  'page.nothing': [''],
  'model.title.upper': ['NOTES'],
  'page.children.count': ['3', '2'],
  'page.children.listed.count': ['2'],
  'page.drafts.first.title': ['Draft'],
  'page.childrenAndDrafts.count': ['4', '3'],
  'page.children.first.title': ['A'],
  'page.children.last.title': ['C', 'B'],
  "page.children.filterBy('year', '1950').first.title": ['B'],
  "page.children.filterBy('status', '!=', 'listed').count": ['1', '0'],
  "page.children.sortBy('title', 'desc').first.slug": ['c', 'b'],
  "page.children.sortBy('title').limit(1).pluck('title')": ['A'],
  "page.children.not('notes/a').count": ['2', '1'],
  'page.hasChildren': ['true'],
  'page.parent.title': ['Harbour'],
  'page.children.first.parent.title': ['Notes'],
  'page.children.first.parents.count': ['1'],
  "page.find('a').title": ['A'],
  "page('notes/b').title": ['B'],
  "page('notes/c').title": ['C', ''],
  "site.find('notes').title": ['Notes'],
  "site.find('notes/a', 'notes/c').count": ['2', '1'],
  'site.title': ['Harbour'],
  'site.index.count': ['4', '3'],
  'page.friends.toPages.count': ['2', '1'],
  'page.friends.toPage.title': ['B'],
  'page.author.toUser.email ?? "nobody"': ['ada@example.org', 'nobody'],
  "user('ada@example.org').role": ['admin', ''],
  'page.files.count': ['0'],
  'page.images.first.url': [''],
  "t('status.draft')": ['Draft'],
  'page.isListed ? "yes" : "no"': ['yes'],
  'page.constructor': [''],
  'page.children.constructor.name': [''],
  'site.__proto__.polluted': [''],
  'page.children.find': [''],
}

const storage = await createTestStorage()
const reports = Object.keys(queries).map(query => ({ label: query, value: `{{ ${query} }}` }))
const many = Array.from({ length: 40 }, (_, at) => ({
  label: 'x',
  value: Array.from({ length: 10 }, (__, to) => `{{ page('notes/${at}-${to}').title }}`).join(''),
}))
writeBlueprints(storage.data, {
  'pages/notes.yml': JSON.stringify({
    sections: {
      all: { type: 'stats', reports },
      many: { type: 'stats', reports: [...many, { label: 'last', value: '{{ page.title }}' }] },
      fields: {
        type: 'fields',
        fields: { year: { type: 'number' }, friends: { type: 'pages' }, author: { type: 'users' } },
      },
    },
  }),
  'pages/secret.yml': 'options: { access: { admin: true, "*": false } }',
})
describeRole(storage, 'writer', 'permissions: { access: { users: false } }')
const app = await createTestApp({ storage })
const admin = await createTokenClient(app)
const writer = await createTokenClient(app, { role: 'writer' })
await app.app.store.db
  .updateTable('users')
  .set({ email: 'ada@example.org', email_key: 'ada@example.org' })
  .where('id', '=', admin.id)
  .execute()
await admin.done('PATCH', 'site/title', { title: 'Harbour' })
const notes = await addPage(app, '', {
  slug: 'notes',
  title: 'Notes',
  template: 'notes',
  content: { year: 1888, friends: ['notes/b', 'notes/c'], author: [`user://${admin.id}`] },
  status: 'listed',
})
await addPage(app, notes, { slug: 'a', title: 'A', content: { year: '1900' }, status: 'listed' })
await addPage(app, notes, { slug: 'b', title: 'B', content: { year: '1950' }, status: 'listed' })
await addPage(app, notes, { slug: 'c', title: 'C', template: 'secret', status: 'unlisted' })
await addPage(app, notes, { slug: 'd', title: 'Draft' })

async function reportsFor(who: typeof admin, section: string): Promise<[label: string, value: string][]> {
  const answer = (await who.done('GET', `pages/notes/sections/${section}`)) as never as {
    reports: { label: string; value: string }[]
  }
  return answer.reports.map(({ label, value }) => [label, value])
}

test('queries see pages, the site and accounts', async () => {
  expect(await reportsFor(admin, 'all')).toEqual(Object.entries(queries).map(([query, [value]]) => [query, value]))
})

test('queries return only what the caller may see', async () => {
  expect(await reportsFor(writer, 'all')).toEqual(
    Object.entries(queries).map(([query, [value, less = value]]) => [query, less]),
  )
})

test('queries that exceed the read budget return nothing, and the rest is shown', async () => {
  const { store } = app.app
  const read = store.read.bind(store)
  let statements = 0
  store.read = query => {
    statements++
    return read(query)
  }
  const shown = await reportsFor(admin, 'many')
  store.read = read
  expect(shown.at(-1)).toEqual(['last', 'Notes'])
  expect(statements).toBeLessThan(450)
})
