import { createContext, Script } from 'node:vm'
import { createMemo } from '../../platform/lib/memo.ts'
import { type CpuBudget, withBudget } from './budget.ts'

const compiled = createMemo<RegExp | 'wrong'>(200)

/** Compiles the regular expression of a blueprint: case-insensitive, and unanchored unless it has `^` and `$`. */
export function compilePattern(source: string): RegExp | undefined {
  const known = compiled.get(source)
  if (known !== undefined) return known === 'wrong' ? undefined : known
  const pattern = compile(source, 'iu') ?? compile(source, 'i')
  compiled.set(source, pattern ?? 'wrong')
  return pattern
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

const longest = 10_000
/** Timeouts in ms. The second attempt has more time: the first may have failed because the machine was busy. */
const tries = [50, 250]

/**
 * Whether the text matches; undefined if that cannot be found out in time. Some expressions backtrack for years on some
 * texts and would block the event loop. A text that is too long does not match.
 */
export function fits(pattern: RegExp, text: string): boolean | undefined {
  if (text.length > longest) return false
  if (isQuick(pattern, text)) return pattern.test(text)
  return withBudget(({ answers, isLenient }) => {
    if (!answers.get(pattern)?.has(text)) tryAll(pattern, [text])
    return answers.get(pattern)?.get(text) ?? (isLenient ? true : undefined)
  })
}

/** Tries several texts in one run. The results are cached as long as the current CPU budget. */
export function tryAll(pattern: RegExp, texts: readonly string[]): void {
  withBudget(effort => {
    const known = effort.answers.get(pattern) ?? new Map<string, boolean | undefined>()
    effort.answers.set(pattern, known)
    const open = new Set(texts.filter(text => text.length <= longest && !known.has(text) && !isQuick(pattern, text)))
    for (const [text, doesFit] of answersTo([...open], pattern, effort)) known.set(text, doesFit)
  })
}

function* answersTo(
  texts: string[],
  pattern: RegExp,
  effort: CpuBudget,
): Generator<[text: string, doesFit: boolean | undefined]> {
  let [next, attempt] = [0, 0]
  while (next < texts.length) {
    const timeout = Math.min(tries[attempt]!, Math.floor(effort.patternMs))
    const fitting = timeout < 1 ? [] : run(pattern, texts.slice(next), timeout, effort)
    for (const one of fitting) yield [texts[next++]!, one]
    if (fitting.length > 0) attempt = 0
    else if (timeout >= 1 && attempt + 1 < tries.length) attempt++
    else {
      yield [texts[next++]!, undefined]
      attempt = 0
    }
  }
}

interface Room {
  pattern: RegExp
  texts: string[]
  fitting: boolean[]
}

let room: { inside: Room; script: Script } | undefined

/**
 * Runs the expression in a `vm` context, which has a timeout. Returns the results for the first texts, or for all of
 * them.
 */
function run(pattern: RegExp, texts: string[], timeout: number, effort: CpuBudget): boolean[] {
  const fitting: boolean[] = []
  room ??= {
    inside: createContext({ pattern, texts, fitting }) as Room,
    script: new Script('for (const text of texts) fitting.push(pattern.test(text))'),
  }
  const before = performance.now()
  Object.assign(room.inside, { pattern, texts, fitting })
  try {
    room.script.runInContext(room.inside, { timeout })
  } catch {
    // Timeout: `fitting` has fewer results than there are texts.
  }
  effort.patternMs -= performance.now() - before
  return fitting
}

// ---- expressions that are always fast

const maxSteps = 1_000_000
const choices = createMemo<{ of: ((letters: number) => number) | undefined }>(200)

/** Whether trying the expression takes so few steps on any text that it needs no timeout. True of most expressions. */
function isQuick(pattern: RegExp, text: string): boolean {
  let known = choices.get(pattern.source)
  if (!known) {
    known = { of: choicesIn(pattern.source) }
    choices.set(pattern.source, known)
  }
  return known.of !== undefined && known.of(text.length + 1) <= maxSteps
}

const part =
  /\\[pP]\{\w+(?:=\w+)?\}|\\u\{[0-9a-f]+\}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?:|\((?!\?)|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|./gisu

/**
 * Upper bound for the number of ways to match an expression against a text of so many characters. Undefined for
 * expressions with back-references, lookarounds, or repetitions of a part that can itself match in several ways.
 */
function choicesIn(source: string): ((letters: number) => number) | undefined {
  if (source.length > 1000 || /\(\?[^:]|\\[1-9k]/.test(source)) return undefined
  const ranges: number[] = []
  const whole: Group = { branches: 1, isOpen: false }
  const groups = [whole]
  let closed: Group | undefined
  for (const [token] of source.matchAll(part)) {
    const range = rangeOf(token)
    if (range !== undefined) {
      if (closed?.isOpen === true) return undefined
      if (range > 1) add(range)
      continue
    }
    closed = token === ')' ? groups.pop() : undefined
    if (closed && closed.branches > 1) add(closed.branches)
    if (token.startsWith('(')) groups.push({ branches: 1, isOpen: false })
    else if (token === '|') groups.at(-1)!.branches++
  }
  const starts = source.startsWith('^') && whole.branches === 1 ? 1 : Infinity
  return letters =>
    [starts, ...ranges].reduce((steps, range) => steps * Math.min(range, letters), letters * whole.branches)

  function add(range: number): void {
    ranges.push(range)
    for (const group of groups) group.isOpen = true
    if (closed) closed.isOpen = true
  }
}

interface Group {
  branches: number
  /** Whether it can match in several ways. */
  isOpen: boolean
}

/** How many repetition counts a quantifier allows; undefined if the token is not a quantifier. */
function rangeOf(token: string): number | undefined {
  if (/^[*+]\??$/.test(token)) return Infinity
  if (/^\?\??$/.test(token)) return 2
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}\??$/.exec(token) ?? []
  if (least === undefined) return undefined
  return comma === '' ? 1 : most === '' ? Infinity : Number(most) - Number(least) + 1
}
