/** Schemes that run code or embed a document: they are not allowed in links. */
const dangerous = /^(?:javascript|vbscript|data):/

const entities: Readonly<Record<string, string>> = { colon: ':', tab: '\t', newline: '\n' }

/** Reads a link as a browser does: white space inside it is ignored, and it may contain HTML entities. */
export function isDangerousLink(link: string): boolean {
  const start = link.slice(0, 200)
  const decoded = start
    .replaceAll(/&#(?:x([\da-f]{1,6})|(\d{1,7}));?/gi, (_, hex?: string, digits?: string) => {
      const code = hex === undefined ? Number(digits) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : ''
    })
    .replaceAll(/&(colon|tab|newline);/gi, (_, name: string) => entities[name.toLowerCase()]!)
  return [start, decoded].some(text => dangerous.test(text.replaceAll(/[\s\p{C}]/gu, '').toLowerCase()))
}
