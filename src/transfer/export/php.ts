export type PhpValue = string | boolean | null | Readonly<Record<string, string>>

/** Plain values as a PHP file that contains only literals, with every string quoted. */
export function writePhp(values: Readonly<Record<string, PhpValue>>): string {
  const lines = Object.entries(values).map(([name, value]) => `    ${quoted(name)} => ${literal(value)},\n`)
  return `<?php\n\nreturn [\n${lines.join('')}];`
}

function literal(value: PhpValue): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value === 'boolean') return String(value)
  const items = Object.entries(value).map(([name, text]) => `${quoted(name)} => ${quoted(text)}`)
  return `[${items.join(', ')}]`
}

const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
