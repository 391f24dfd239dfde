export type SlugRules = Readonly<Record<string, string>>

/** Converts a title to a slug, nearly as the server does: `Über uns` → `ueber-uns`. */
export function toSlug(title: string, own: SlugRules = {}, ascii: SlugRules = {}): string {
  let text = title.normalize('NFKC').toLowerCase()
  for (const [from, to] of Object.entries(own))
    if (from !== '') text = text.replaceAll(from.toLowerCase(), to.toLowerCase())
  text = text.normalize('NFKD').replaceAll(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
  for (const [pattern, to] of Object.entries(ascii)) {
    const letters = pattern.replaceAll(/^\/|\/$/g, '')
    if (letters !== '') text = text.replaceAll(new RegExp(letters, 'gu'), to)
  }
  return text
    .normalize('NFC')
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 128)
}
