/** Widely used languages. Any other code can be typed. */
const codes = [
  'ar', 'bg', 'bn', 'bs', 'ca', 'cs', 'cy', 'da', 'de', 'el', 'en', 'eo', 'es', 'et', 'eu', 'fa', 'fi', 'fr', 'ga', 'gl',
  'he', 'hi', 'hr', 'hu', 'hy', 'id', 'is', 'it', 'ja', 'ka', 'kk', 'ko', 'lb', 'lt', 'lv', 'mk', 'ms', 'mt', 'nb', 'nl',
  'nn', 'pl', 'pt', 'pt-br', 'rm', 'ro', 'ru', 'sk', 'sl', 'sq', 'sr', 'sv', 'sw', 'ta', 'th', 'tr', 'uk', 'ur', 'vi', 'zh',
  'zh-hant',
] // prettier-ignore

const rightToLeftScripts: ReadonlySet<string | undefined> = new Set(['Arab', 'Hebr'])

interface CommonLanguage {
  code: string
  /** Its name in the language itself. */
  nativeName: string
  /** Its name in the language of the user. */
  name: string
}

/** Sorted by the rules of the user's language. */
export function commonLanguages(userLanguage: string): CommonLanguage[] {
  const names = new Intl.DisplayNames([userLanguage], { type: 'language' })
  return codes
    .map(code => ({ code, nativeName: nativeNameOf(code), name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, userLanguage))
}

/** Properties that follow from the code of a common language alone. */
export function defaultsFor(code: string): { name: string; direction: 'ltr' | 'rtl'; locale: string } {
  const { language, region = '', script } = new Intl.Locale(code).maximize()
  return {
    name: nativeNameOf(code),
    direction: rightToLeftScripts.has(script) ? 'rtl' : 'ltr',
    locale: `${language}_${region}`,
  }
}

function nativeNameOf(code: string): string {
  const name = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1)
}
