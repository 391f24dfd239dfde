/** Transliteration of letters that are not a Latin letter with a diacritic. */
const transliterations: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', ŋ: 'n', ŧ: 't', ĸ: 'k', ſ: 's', ə: 'e',
  ƒ: 'f', ɛ: 'e', ɔ: 'o', ɓ: 'b', ɗ: 'd', ƙ: 'k', ƴ: 'y',
  α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l', μ: 'm', ν: 'n', ξ: 'x', ο: 'o',
  π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o',
  а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', й: 'y', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o',
  п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e',
  ю: 'yu', я: 'ya', і: 'i', ї: 'yi', є: 'ye', ґ: 'g', ђ: 'dj', ј: 'j', љ: 'lj', њ: 'nj', ћ: 'c', џ: 'dz', ѕ: 'dz', ә: 'a',
  ғ: 'gh', қ: 'q', ң: 'ng', ө: 'o', ұ: 'u', ү: 'u', һ: 'h',
} // prettier-ignore

/** Transliterations that differ by language. */
const languageTransliterations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bg: { щ: 'sht', ъ: 'a', ь: 'y', х: 'h' },
  da: { æ: 'ae', ø: 'oe', å: 'aa' },
  de: { Ä: 'AE', Ö: 'OE', Ü: 'UE', ß: 'ss', ä: 'ae', ö: 'oe', ü: 'ue' },
  mk: { ѓ: 'gj', ќ: 'kj', х: 'h', ц: 'c' },
  nb: { æ: 'ae', ø: 'oe', å: 'aa' },
  nn: { æ: 'ae', ø: 'oe', å: 'aa' },
  no: { æ: 'ae', ø: 'oe', å: 'aa' },
  sr: { ж: 'z', х: 'h', ц: 'c', ч: 'c', ш: 's' },
  uk: { г: 'h', и: 'y', ї: 'i' },
} // prettier-ignore

/** The transliterations of one language, by its code or locale: `de`, `de_AT`, `de-at`. */
export function slugRules(locale: string): Readonly<Record<string, string>> {
  const code = locale.split(/[-_.@]/, 1)[0]!.toLowerCase()
  return Object.hasOwn(languageTransliterations, code) ? languageTransliterations[code]! : {}
}

/** The transliterations common to all languages, for clients that make slugs themselves: regular expression → text. */
export function asciiRules(): Record<string, string> {
  const letters = Map.groupBy(Object.keys(transliterations), letter => transliterations[letter]!)
  return Object.fromEntries([...letters].map(([text, all]) => [`/${all.join('|')}/`, text]))
}

const maxLength = 128

/**
 * A text as a part of a URL path: lower-case letters, digits and hyphens. Greek and Cyrillic are transliterated; other
 * scripts stay. Empty if there is no letter and no digit. `rules` (text → replacement) are applied first.
 */
export function toSlug(text: string, rules: Readonly<Record<string, string>> = {}): string {
  if (text.length <= maxLength && /^[a-z\d]+(?:-[a-z\d]+)*$/.test(text) && Object.keys(rules).length === 0) return text
  const plain = replaceAll(lower(text), rules)
    .replaceAll(/[йїѓќ]/g, letter => transliterations[letter] ?? letter) // letters of their own, which NFKD would take apart
    .normalize('NFKD')
    .replaceAll(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
    .replaceAll(/./gsu, letter => transliterations[letter] ?? letter)
    .normalize('NFC')
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/(^|-)\p{M}+/gu, '$1') // a combining mark without its letter
    .replaceAll(/-{2,}/g, '-')
  return trim(Array.from(trim(plain)).slice(0, maxLength).join(''))
}

const trim = (slug: string) => slug.replaceAll(/^-|-$/g, '')

/** Lower case, without invisible characters and enclosing marks. */
const lower = (text: string) =>
  text
    .normalize('NFKC')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Me}]/gu, '')
    .toLowerCase()

/** One pass from left to right; the longest match wins. */
function replaceAll(text: string, rules: Readonly<Record<string, string>>): string {
  const replacements = new Map(Object.entries(rules).map(([from, to]) => [lower(from), lower(to)]))
  replacements.delete('')
  if (replacements.size === 0) return text
  const alternatives = [...replacements.keys()].toSorted((one, other) => other.length - one.length).map(escapePattern)
  return text.replaceAll(new RegExp(alternatives.join('|'), 'gu'), found => replacements.get(found)!)
}

const escapePattern = (text: string) => text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)
