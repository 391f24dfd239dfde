const families: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
]

/** The family of a browser and nothing more: enough to recognise one's own session in a list. */
export function userAgentFamily(header: string | undefined): string {
  for (const [name, pattern] of families) if (pattern.test(header ?? '')) return name
  return 'other'
}
