/** The first match counts: Edge and Opera also name Chrome and Safari, and Chrome and Firefox on iOS name Safari. */
const families: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|OPT)\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|HeadlessChrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
]

/** The family of a browser and nothing more: enough to recognise one's own session in a list. */
export function userAgentFamily(header: string | undefined): string {
  for (const [name, pattern] of families) if (pattern.test(header ?? '')) return name
  return 'other'
}
