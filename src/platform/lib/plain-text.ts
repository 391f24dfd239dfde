/** Folds a text for comparison that ignores case and accents. */
export function plainText(text: string): string {
  // Fast path: most texts are ASCII, and normalizing is slow.
  return isAscii(text) ? text.toLowerCase() : withoutAccents(text)
}

/** The same for a text that is not ASCII. */
export function withoutAccents(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize('NFC')
}

/** Used for fast paths: most texts, at least in English, are ASCII. */
export function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII begins with them
  return !/[^\u0000-\u007f]/.test(text)
}
