/** As people compare texts: whatever the size of the letters and their accents. */
export function plainText(text: string): string {
  // Most texts have nothing to take apart, and taking apart is slow.
  if (isAscii(text)) return text.toLowerCase()
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize('NFC')
}

/** Most texts are, at least most of those in English, and then much is simple. */
export function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII begins with them
  return !/[^\u0000-\u007f]/.test(text)
}
