/** A value that PHP can write as a literal. Lists and maps are both arrays in PHP. */
export type Literal = string | number | boolean | null | Literal[] | Map<string, Literal>

/** The text is not a literal; it may contain code. */
export class NotLiteral extends Error {}

const maxDepth = 20

/**
 * Parses `<?php return [ … ];` as data. Nothing is executed, and only literals are accepted: strings without variables,
 * numbers, booleans, null, arrays, and constants such as `LC_ALL` as keys.
 */
export function readPhp(text: string): Literal {
  let at = 0

  function fail(): never {
    const line = text.slice(0, at).split('\n').length
    throw new NotLiteral(`line ${line} is no plain value`)
  }
  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  /** The next token after white space and comments. */
  function nextToken(pattern: RegExp): string | undefined {
    take(blank)
    return take(pattern)
  }
  function expectToken(pattern: RegExp): string {
    return nextToken(pattern) ?? fail()
  }

  function value(depth: number): Literal {
    if (depth > maxDepth) fail()
    const single = nextToken(singleQuoted)
    if (single !== undefined) return single.slice(1, -1).replaceAll(/\\([\\'])/g, '$1')
    const double = take(doubleQuoted)
    if (double !== undefined) return unquoted(double.slice(1, -1)) ?? fail()
    const number = take(numeric)
    if (number !== undefined) return Number(number.replaceAll('_', ''))
    const word = take(/(?:true|false|null)\b/iy)?.toLowerCase()
    if (word !== undefined) return word === 'null' ? null : word === 'true'
    if (take(/\[/y) !== undefined) return items(/\]/y, depth)
    if (take(/array\s*\(/iy) !== undefined) return items(/\)/y, depth)
    return fail()
  }

  function items(end: RegExp, depth: number): Literal {
    const found: [key: string | undefined, value: Literal][] = []
    while (nextToken(end) === undefined) {
      const constant = take(/[A-Z][A-Z0-9_]*(?=\s*=>)/y)
      const first = constant ?? value(depth + 1)
      if (constant !== undefined || nextToken(/=>/y) !== undefined) {
        if (constant !== undefined) expectToken(/=>/y)
        if (typeof first !== 'string' && typeof first !== 'number') fail()
        found.push([String(first), value(depth + 1)])
      } else found.push([undefined, first])
      if (nextToken(/,/y) === undefined) {
        expectToken(end)
        break
      }
    }
    if (found.every(([key]) => key === undefined)) return found.map(([, item]) => item)
    return new Map(found.map(([key, item], index) => [key ?? String(index), item]))
  }

  if (take(/\ufeff?<\?php(?=\s)/y) === undefined) fail()
  nextToken(/declare\s*\(\s*strict_types\s*=\s*[01]\s*\)\s*;/iy)
  expectToken(/return\b/iy)
  const result = value(0)
  expectToken(/;/y)
  nextToken(/\?>/y)
  take(blank)
  if (at < text.length) fail()
  return result
}

const blank = /(?:\s+|\/\/[^\n]*|#(?!\[)[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y
const singleQuoted = /'(?:[^'\\]|\\[^])*'/y
const doubleQuoted = /"(?:[^"\\]|\\[^])*"/y
const numeric = /[+-]?(?:\d[\d_]*)(?:\.\d+)?(?:e[+-]?\d+)?\b/iy

const escapes: Readonly<Record<string, string>> = {
  n: '\n', t: '\t', r: '\r', v: '\v', e: '\u001b', f: '\f', '\\': '\\', $: '$', '"': '"',
} // prettier-ignore

/** Undefined if the string contains a variable. */
function unquoted(text: string): string | undefined {
  if (/(?<!\\)(?:\\\\)*(?:\$[A-Za-z_{]|\{\$)/.test(text)) return undefined
  return text.replaceAll(
    /\\(?:([ntrvef\\$"])|([0-7]{1,3})|x([0-9a-f]{1,2})|u\{([0-9a-f]{1,6})\})/gi,
    (whole: string, letter?: string, octal?: string, hex?: string, point?: string) => {
      if (letter !== undefined) return escapes[letter] ?? whole
      const code = octal === undefined ? Number.parseInt(hex ?? point!, 16) : Number.parseInt(octal, 8)
      return code > 0x10ffff ? whole : String.fromCodePoint(code)
    },
  )
}
