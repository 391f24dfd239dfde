/** A width of 360 pixels, with very long names: no part of any screen is cut off. */
import { expect, test } from 'vitest'
import { createLanguage } from '../../src/content/languages/languages.ts'
import { expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { createImage, createUploader, dataOf } from '../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { createSignedInUser } from '../../test/signed-in-user.ts'
import { operatorContext } from '../../src/cli/site.ts'
import { isSlow } from '../../test/slow.ts'

const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const sentence = `${word} und noch ein paar Worte mehr, die niemand auf ein Telefon bekommt`
const storage = await createTestStorage({ migrated: true })
const lists = ['list', 'cards', 'cardlets', 'table'].flatMap(layout => [
  `  ${layout}: { type: pages, label: ${word}, layout: ${layout}, template: default }`,
  `  files-${layout}: { type: files, label: Files, layout: ${layout} }`,
])
writeBlueprints(storage.data, {
  'site.yml': `title: Site\nsections:\n${lists.join('\n')}\n`,
  'pages/default.yml': `title: ${word}
tabs:
  content:
    label: ${word}
    fields:
      text: { type: text, label: ${word}, help: ${word} }
      pics: { type: files, label: Images }
      tags: { type: tags, label: Tags }
  lists:
    sections:
${lists.map(line => `    ${line}`).join('\n')}
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)
await createLanguage(operatorContext(site.app), { code: 'en', name: word, default: true })
await createLanguage(operatorContext(site.app), { code: 'de', name: 'Deutsch' })
await addPage(site, '', { slug: 'short', title: 'Short', status: 'listed' })
const uuid = await addPage(site, '', { slug: 'a', title: sentence, status: 'listed' })
const inner = await addPage(site, uuid, { slug: 'b', title: sentence, status: 'listed' })
await addPage(site, inner, { slug: 'c', title: word, status: 'listed', content: { text: word, tags: word } })
const sender = await createUploader(await createSignedInUser(site))
const filename = `${'a-very-long-name-without-an-end-'.repeat(3)}.png`
for (const files of ['site/files', 'pages/a/files'])
  dataOf(await sender.send(files, [{ filename, bytes: await createImage('png', { width: 400, height: 300 }) }]))
const file = (await apiClient.done('GET', 'site/files?select=filename,uuid')).data as {
  filename: string
  uuid: string
}[]
await apiClient.done('PATCH', 'pages/a', { text: word, pics: [file[0]!.uuid] })
await apiClient.done('PATCH', `users/${admin.id}/name`, { name: word })
const releaseItems = [{ uuid: `page://${uuid}` }, { uuid: `page://${inner}`, action: 'delete' }]
const { data: release } = await apiClient.done('POST', 'site/releases', { name: sentence, add: releaseItems })

const screens = [
  '/site',
  '/site/files',
  `/site/files/${file[0]!.filename}`,
  '/pages/a',
  '/pages/a+b+c',
  '/pages/a/files',
  '/users',
  `/users/${apiClient.id}`,
  '/roles',
  '/languages',
  '/languages/en',
  '/releases',
  `/releases/${release.id}`,
  '/system',
  '/account',
  '/account?tab=security',
  '/account?tab=sessions',
]

/** A form and a table. */
const daily = ['/pages/a', '/users']

test.each(isSlow ? screens : daily)('%s fits a narrow screen', async at => {
  const page = await panel.open({ as: admin, at, width: 360, height: 740 })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.locator('.waiting').count()).toBe(0)
  await expectNoSidewaysScroll(page)
  // An element that a parent cuts off does not make the page scroll, but cannot be read either.
  const outside = () =>
    page.evaluate(`[...document.querySelectorAll('main *')]
    .filter(element => element.checkVisibility() && !element.closest('.sr-only, [role=tablist], table'))
    .filter(element => { const box = element.getBoundingClientRect(); return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1) })
    .slice(0, 3).map(element => element.outerHTML.slice(0, 200))`)
  // Polls, because images and sections come after the heading.
  await expect.poll(outside).toEqual([])
})
