import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuTime } from '../../../test/cpu-time.ts'
import { errors } from '../errors.ts'
import { message, texts } from '../texts.ts'
import {
  acceptedLanguage,
  closestTranslation,
  findTranslation,
  inLanguage,
  translatorFor,
  translate,
  translations,
  completeTexts,
} from './translations.ts'

const source: Record<string, string> = {
  ...texts,
  ...Object.fromEntries(Object.entries(errors).map(([key, [, text]]) => [`error.${key}`, text])),
}
/** A missing translation falls back to English; only a release demands all of them. */
const isRelease = process.env['QUOIN_TEST_RELEASE'] === 'true'
const others = translations.map(({ id }) => id).filter(id => id !== 'en')
const fileOf = (id: string) =>
  JSON.parse(readFileSync(new URL(`texts/${id}.json`, import.meta.url), 'utf8')) as Record<string, string>

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).toSorted()
/** Texts that only put others in order are the same in many languages. */
const hasWords = (key: string) => /\p{L}/u.test(source[key]!.replaceAll(/\{\w+\}/g, ''))

describe('texts', () => {
  const marks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
  /** Words that are the same in both languages, and meant to be. */
  const same: Record<string, string[]> = {
    de: [
      'validation.blocks',
      'validation.block',
      'role.admin',
      'block.code',
      'block.text',
      'block.video',
      'block.image.link',
      'section.table.info',
      'mail.factor.passkey',
    ],
    es: ['type.audio', 'blueprint.error'],
    fr: [
      'type.archive',
      'type.audio',
      'type.code',
      'type.document',
      'type.image',
      'orientation.portrait',
      'block.code',
      'block.image',
      'block.gallery.images',
      'block.quote.source',
      'blueprint.site',
      'blueprint.page',
      'blueprint.pages',
    ],
    it: ['type.audio', 'type.video', 'block.video', 'block.image.link', 'blueprint.file', 'mail.factor.passkey'],
    nl: [
      'type.audio',
      'type.code',
      'type.document',
      'type.video',
      'block.code',
      'block.video',
      'block.image.link',
      'blueprint.site',
      'section.table.info',
      'mail.factor.passkey',
    ],
    pl: ['role.admin'],
    pt: ['block.image.link', 'blueprint.site'],
    tr: ['type.video', 'block.video', 'blueprint.site'],
  }
  /** What a text in this language cannot be without. */
  const letters: Record<string, RegExp> = {
    ar: /\p{Script=Arabic}/u,
    ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
    zh: /\p{Script=Han}/u,
  }

  test('every language has its file, and every file its language', () => {
    const files = readdirSync(new URL('texts/', import.meta.url)).map(name => name.replace(/\.json$/, ''))
    expect(files.toSorted()).toEqual(others)
  })

  describe.each(others)('%s', id => {
    const words = fileOf(id)

    test('has no unknown texts', () => {
      expect(Object.keys(words).filter(key => !(key in source))).toEqual([])
    })

    test.runIf(isRelease)('has every text of the source', () => {
      expect(Object.keys(source).filter(key => !Object.hasOwn(words, key))).toEqual([])
    })

    test('has the same placeholders', () => {
      for (const [key, text] of Object.entries(words)) {
        expect([key, placeholders(text)]).toEqual([key, placeholders(source[key] ?? '')])
        expect([key, text.replaceAll(/\{\w+\}/g, '')]).toEqual([key, expect.not.stringMatching(/[{}]/)])
      }
    })

    test('is translated', () => {
      const keys = Object.keys(words).filter(key => key in source && hasWords(key))
      expect(keys.filter(key => words[key] === source[key])).toEqual(same[id] ?? [])
      const foreign = keys.filter(key => letters[id]?.test(words[key]!) === false)
      expect(foreign).toEqual([])
    })

    test('follows typographic rules: no straight quotes, no stray spaces, as many lines as the source', () => {
      for (const [key, text] of Object.entries(words)) {
        expect([key, text]).toEqual([key, expect.not.stringMatching(/["'`]|\.\.\.|^\s|\s$|[ \t]\n|\S {2,}\S/)])
        expect([key, text.split('\n').length]).toEqual([key, source[key]?.split('\n').length])
      }
    })

    test('has its writing direction', () => {
      const { direction } = findTranslation(id)!
      for (const [key, text] of Object.entries(words)) {
        if (direction === 'ltr') expect([key, text]).toEqual([key, expect.not.stringMatching(marks)])
        // An inserted text may have the other direction: it is isolated, unless it is alone on its line.
        else {
          const rest = text.replaceAll(/\u2068\{\w+\}\u2069|^\{\w+\}$/gm, '')
          expect([key, rest]).toEqual([key, expect.not.stringMatching(marks)])
          expect([key, placeholders(rest)]).toEqual([key, []])
        }
      }
    })
  })
})

describe('translate', () => {
  test('returns a text in a language, with its placeholders filled in', () => {
    expect(translate('de', 'error.user.role.invalid', { role: 'gärtner' })).toBe('Es gibt keine Rolle „gärtner“.')
    expect(translate('en', 'error.user.role.invalid', { role: 'x' })).toBe('There is no role “x”.')
    expect(translate('ja', 'validation.min', { min: '3' })).toBe('3以上の値を指定してください。')
    expect(translate('ar', 'error.user.notFound', { name: 'Ada' })).toBe('لا يوجد حساب باسم «\u2068Ada\u2069».')
  })

  test('translates nested messages', () => {
    const kind = message('kind.int')
    expect(translate('fr', 'validation.type', { kind })).toBe('La valeur attendue est un nombre entier.')
    expect(translate('en', 'validation.type', { kind })).toBe('This must be a whole number.')
    expect(String(message('validation.type', { kind }))).toBe('This must be a whole number.')
  })

  test('translates texts of the site inside a message', () => {
    const data = { field: { en: 'What', de: 'Was' }, problem: message('validation.required') }
    expect(translate('de', 'validation.object', data)).toBe('Was: Bitte füllen Sie dieses Feld aus.')
    expect(translate('en', 'validation.object', data)).toBe('What: Please fill this in.')
    expect(String(message('validation.object', data))).toBe('What: Please fill this in.')
  })

  test.each([
    ['de_CH', 'de'],
    ['de-AT', 'de'],
    ['DE', 'de'],
    ['pt-BR', 'pt'],
    ['zh-Hant-TW', 'zh'],
    ['en-GB', 'en'],
    ['sv', 'en'],
    ['deu', 'en'],
    ['', 'en'],
    ['-', 'en'],
    ['constructor', 'en'],
    ['../../secrets', 'en'],
  ])('%j is translated as %s', (language, id) => {
    expect(closestTranslation(language).id).toBe(id)
    expect(translate(language, 'kind.text')).toBe(completeTexts(findTranslation(id)!)['kind.text'])
  })

  test('an unknown key is returned itself', () => {
    for (const key of ['no.such.key', 'error.nothing', 'constructor', 'error.constructor', '__proto__', ''])
      expect([translate('de', key), translate('en', key)]).toEqual([key, key])
  })

  test('inserted values are never treated as placeholders', () => {
    expect(translate('de', 'error.user.role.invalid', { role: '{role} $& {name}' })).toBe(
      'Es gibt keine Rolle „{role} $& {name}“.',
    )
  })
})

describe('Accept-Language', () => {
  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-CH', 'de'],
    ['DE-ch', 'de'],
    ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'fr'],
    ['en;q=0.5,de;q=0.6', 'de'],
    ['de;q=0.5,fr;q=0.5', 'de'],
    ['sv, da;q=0.9, nl;q=0.1', 'nl'],
    ['sv, *;q=0.5, nl;q=0.1', 'en'],
    ['en, de', 'en'],
    ['de;q=0', 'en'],
    ['de;q=0.0, pl;q=0.001', 'pl'],
    ['de ; q=0.3 , tr\t;\tq=0.4', 'tr'],
    ['de;q=2', 'en'],
    ['de;q=-1', 'en'],
    ['de;q=x, it', 'it'],
    ['de;q=0.12345, it;q=0.1', 'it'],
    ['de;level=1, it', 'it'],
    ['de_CH, it', 'it'],
    [',,,ja,,', 'ja'],
    ['*', 'en'],
    ['constructor, __proto__;q=1, zh', 'zh'],
    ['zh-Hans-CN', 'zh'],
    [`de,${' '.repeat(500)}`, 'de'],
    [`${' '.repeat(500)},de`, 'en'],
  ])('%j is %s', (header, language) => {
    expect(acceptedLanguage(header)).toBe(language)
    expect(acceptedLanguage(header), 'the second time').toBe(language)
  })

  test('any header gives a known language, quickly', () => {
    const scrap = fc.constantFrom('de', 'fr-CH', ';q=', '0.5', ',', '*', ' ', ';', '-', 'x'.repeat(50), '\u{1f600}')
    const header = fc.oneof(
      fc.string(),
      fc.array(scrap).map(parts => parts.join('')),
    )
    fc.assert(fc.property(header, text => findTranslation(acceptedLanguage(text)) !== undefined))
    const start = cpuTime()
    for (const part of ['de-', 'a,', ' ', ';q=0.1', 'de;q=0.5,', '-'])
      expect(findTranslation(acceptedLanguage(part.repeat(16_000)))).toBeDefined()
    expect(cpuTime() - start).toBeLessThan(1000)
  })

  test('an error is translated for the caller, and stays as it is in English', () => {
    expect(translatorFor('de')).toBe(translatorFor('de_CH'))
    expect(translatorFor('de')).toMatchObject({ language: 'de' })
    expect([translatorFor('en'), translatorFor('en-US'), translatorFor('sv')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('texts of a site', () => {
  test.each([
    ['Plain', 'de', 'Plain'],
    [{ en: 'Garden', de: 'Garten' }, 'de', 'Garten'],
    [{ en: 'Garden', de: 'Garten', de_CH: 'Gärtli' }, 'de_CH', 'Gärtli'],
    [{ en: 'Garden', de: 'Garten' }, 'de_CH', 'Garten'],
    [{ en: 'Garden', de: 'Garten' }, 'de-AT', 'Garten'],
    [{ en: 'Garden', '*': '🌱' }, 'fr', '🌱'],
    [{ de: 'Garten', en: 'Garden' }, 'fr', 'Garden'],
    [{ de: 'Garten', it: 'Giardino' }, 'fr', 'Garten'],
    [{ en: 'Garden' }, 'constructor', 'Garden'],
    [{}, 'fr', ''],
    [message('status.draft'), 'de_CH', 'Entwurf'],
    [message('status.draft'), 'en', 'Draft'],
  ])('%j in %s is %j', (text, language, expected) => {
    expect(inLanguage(text, language)).toBe(expected)
  })
})
