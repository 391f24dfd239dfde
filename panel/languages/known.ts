/** Languages with many readers; any other code can be typed. */
const codes = [
  'ar', 'bg', 'bn', 'bs', 'ca', 'cs', 'cy', 'da', 'de', 'el', 'en', 'eo', 'es', 'et', 'eu', 'fa', 'fi', 'fr', 'ga', 'gl',
  'he', 'hi', 'hr', 'hu', 'hy', 'id', 'is', 'it', 'ja', 'ka', 'kk', 'ko', 'lb', 'lt', 'lv', 'mk', 'ms', 'mt', 'nb', 'nl',
  'nn', 'pl', 'pt', 'pt-br', 'rm', 'ro', 'ru', 'sk', 'sl', 'sq', 'sr', 'sv', 'sw', 'ta', 'th', 'tr', 'uk', 'ur', 'vi', 'zh',
  'zh-hant',
] // prettier-ignore

const rightToLeft = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'ug', 'ur', 'yi'])

export interface KnownLanguage {
  code: string
  /** As it calls itself. */
  own: string
  /** As the reader calls it. */
  name: string
}

/** Sorted as somebody reads them. */
export function knownLanguages(reader: string): KnownLanguage[] {
  const names = new Intl.DisplayNames([reader], { type: 'language' })
  return codes
    .map(code => ({ code, own: ownName(code), name: names.of(code) ?? code }))
    .toSorted((one, other) => one.name.localeCompare(other.name, reader))
}

/** What can be told from a code alone. */
export function guess(code: string): { name: string; direction: 'ltr' | 'rtl'; locale: string } | undefined {
  try {
    const { language, region } = new Intl.Locale(code.replaceAll('_', '-')).maximize()
    return {
      name: ownName(code),
      direction: rightToLeft.has(language) ? 'rtl' : 'ltr',
      locale: `${language}_${region ?? ''}`,
    }
  } catch {
    return undefined // no code at all, or not yet
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
