import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { uiTexts } from '../ui/texts.ts'
import { en as ofScreens } from './en.ts'
import { account } from './en/account.ts'
import { comments } from './en/comments.ts'
import { languages } from './en/languages.ts'
import { library } from './en/library.ts'
import { signin } from './en/signin.ts'
import { webhooks } from './en/webhooks.ts'
import { addTexts, formatRelativeTime, formatSize, setLanguage, t, type Text, textOf, type Texts } from './texts.ts'

const en = { ...ofScreens, ...account, ...comments, ...languages, ...library, ...signin, ...webhooks }
addTexts(en)

test('a text is filled in, in the plural form of a number', () => {
  expect(t('action.save')).toBe('Save')
  expect(t('signin.wait', { time: '0:30' })).toBe('Too many attempts. You can try again in 0:30.')
  expect(t('account.recovery.left', { count: 1 })).toBe('1 code is left')
  expect(t('account.recovery.left', { count: 1200 })).toBe('1,200 codes are left')
  expect(textOf('account.event.auth.login.ok')).toBe('Signed in')
  expect(textOf('account.event.nonsense')).toBeUndefined()
})

/** The element `html` of a page whose requests for texts are answered by `respond`. The language is English afterwards. */
function openDocument(respond: () => Promise<Response>): { lang: string; dir: string } {
  const root = { lang: 'en', dir: 'ltr' }
  vi.stubGlobal('document', { documentElement: root })
  vi.stubGlobal('fetch', respond)
  onTestFinished(async () => {
    await setLanguage('en')
    vi.unstubAllGlobals()
  })
  return root
}

test('the language that was chosen last stays, also if the texts of another one arrive later', async () => {
  const german = Promise.withResolvers<Response>()
  const root = openDocument(() => german.promise)
  const slow = setLanguage('de')
  await setLanguage('en')
  german.resolve(Response.json({ 'action.save': 'Speichern' }))
  await slow
  expect([root.lang, t('action.save')]).toEqual(['en', 'Save'])
  await setLanguage('de')
  expect([root.lang, t('action.save')]).toEqual(['de', 'Speichern'])
})

test.each([
  ['cannot be requested', 'es', async () => Promise.reject(new TypeError('Failed to fetch'))],
  ['are refused', 'fr', async () => new Response(null, { status: 503 })],
  ['are incomplete', 'it', async () => new Response('{"action.sa')],
])('a language whose texts %s can be chosen again', async (_, code, fail) => {
  const respond = vi.fn<() => Promise<Response>>(fail)
  const root = openDocument(respond)
  await setLanguage(code)
  expect([root.lang, t('action.save')]).toEqual(['en', 'Save'])
  respond.mockResolvedValueOnce(Response.json({ 'action.save': 'Translated' }))
  await setLanguage(code)
  expect([root.lang, t('action.save')]).toEqual([code, 'Translated'])
})

test('an English text in place of a missing translation has the plural forms of English', async () => {
  openDocument(async () => Response.json({}))
  await setLanguage('ja') // has only the form `other`
  expect(t('account.recovery.left', { count: 1 })).toBe('1 code is left')
})

test('sizes and times are formatted for people', () => {
  expect([0, 999, 1400, 2_000_000].map(formatSize)).toEqual(['0\u{a0}KB', '999\u{a0}B', '1.37\u{a0}KB', '1.91\u{a0}MB'])
  const now = Date.UTC(2026, 0, 1)
  expect([0, -90_000, -26 * 3_600_000].map(ago => formatRelativeTime(now + ago, now))).toEqual([
    'now',
    '1 minute ago',
    'yesterday',
  ])
})

test('every key begins with the name of a part of the panel', () => {
  expect(Object.keys(en).filter(key => !/^[a-z]+\.[\w.-]+$/i.test(key))).toEqual([])
})

const folder = join(import.meta.dirname, 'languages')
const english: Texts = {
  ...en,
  ...Object.fromEntries(Object.entries(uiTexts).map(([name, text]) => [`ui.${name}`, text])),
}
const formsOf = (text: Text) => (typeof text === 'string' ? [text] : Object.values(text))
const placeholdersIn = (text: Text) =>
  [...new Set(formsOf(text).flatMap(form => form.match(/\{\w+\}/g) ?? []))].toSorted()

/** A missing translation falls back to English; only a release demands all of them. */
const isRelease = process.env['QUOIN_TEST_RELEASE'] === 'true'
const textsOf = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Texts

test.runIf(isRelease).each(readdirSync(folder))('%s has every text of the source', name => {
  expect(Object.keys(textsOf(name)).toSorted()).toEqual(Object.keys(english).toSorted())
})

test.each(readdirSync(folder))('%s has only texts of the source, with the same placeholders', name => {
  const translated = textsOf(name)
  expect(Object.keys(translated).filter(key => !(key in english))).toEqual([])
  const rules = new Intl.PluralRules(name.replace('.json', '')).resolvedOptions().pluralCategories
  for (const [key, text] of Object.entries(translated)) {
    expect([key, placeholdersIn(text)]).toEqual([key, placeholdersIn(english[key]!)])
    if (typeof text === 'object') expect([key, Object.keys(text).toSorted()]).toEqual([key, rules.toSorted()])
  }
})

test.each(['en', ...readdirSync(folder)])('in %s, states have the same name in lists, history and messages', name => {
  const texts = name === 'en' ? english : textsOf(name)
  const same = [
    ['editor.draftSaved', 'pages.state.changed'],
    ['editor.published', 'editor.history.action.publish'],
    ['pages.state.scheduled', 'editor.history.action.schedule', 'today.scheduled'],
    ['editor.schedule', 'pages.schedule.title', 'pages.schedule.confirm'],
  ]
  for (const keys of same) expect(keys.map(key => texts[key])).toEqual(keys.map(() => texts[keys[0]!]))
})

test('the panel has every language of the server', () => {
  const server = readdirSync(join(import.meta.dirname, '../../src/platform/translations/texts'))
  expect(readdirSync(folder).toSorted()).toEqual(server.toSorted())
})
