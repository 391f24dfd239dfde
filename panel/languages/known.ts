/** Widely used languages. Any other code can be typed. */
const codes = [
  'ar', 'bg', 'bn', 'bs', 'ca', 'cs', 'cy', 'da', 'de', 'el', 'en', 'eo', 'es', 'et', 'eu', 'fa', 'fi', 'fr', 'ga', 'gl',
  'he', 'hi', 'hr', 'hu', 'hy', 'id', 'is', 'it', 'ja', 'ka', 'kk', 'ko', 'lb', 'lt', 'lv', 'mk', 'ms', 'mt', 'nb', 'nl',
  'nn', 'pl', 'pt', 'pt-br', 'rm', 'ro', 'ru', 'sk', 'sl', 'sq', 'sr', 'sv', 'sw', 'ta', 'th', 'tr', 'uk', 'ur', 'vi', 'zh',
  'zh-hant',
] // prettier-ignore

const rightToLeft = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'ug', 'ur', 'yi'])

export interface KnownLanguage {
  code: string
  /** Its name in the language itself. */
  nativeName: string
  /** Its name in the language of the user. */
  name: string
}

/** Sorted by the rules of the user's language. */
export function knownLanguages(reader: string): KnownLanguage[] {
  const names = new Intl.DisplayNames([reader], { type: 'language' })
  return codes
    .map(code => ({ code, nativeName: ownName(code), name: names.of(code) ?? code }))
    .toSorted((one, other) => one.name.localeCompare(other.name, reader))
}

/** Properties that follow from the code alone. */
export function defaultsFor(code: string): { name: string; direction: 'ltr' | 'rtl'; locale: string } | undefined {
  try {
    const { language, region } = new Intl.Locale(code.replaceAll('_', '-')).maximize()
    return {
      name: ownName(code),
      direction: rightToLeft.has(language) ? 'rtl' : 'ltr',
      locale: `${language}_${region ?? ''}`,
    }
  } catch {
    return undefined // not a valid code (yet)
  }
}

function ownName(code: string): string {
  try {
    const name = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code
    return name.charAt(0).toLocaleUpperCase(code) + name.slice(1)
  } catch {
    return code
  }
}
