import { createContext, Script } from 'node:vm'
import { RE2JS } from 're2js'
import { createLruCache } from '../../platform/lib/lru-cache.ts'
import { type CpuBudget, withBudget } from './budget.ts'

export interface Pattern {
  /** Whether the text matches; undefined if that cannot be found out in time. */
  test(text: string): boolean | undefined
}

const compiled = createLruCache<Pattern | 'wrong'>(200)

/** Compiles the regular expression of a blueprint: case-insensitive, and unanchored unless it has `^` and `$`. */
export function compilePattern(source: string): Pattern | undefined {
  let cached = compiled.get(source)
  if (cached === undefined) {
    const expression = expressionOf(source, 'iu') ?? expressionOf(source, 'i')
    cached = expression ? (linear(expression) ?? backtracking(expression)) : 'wrong'
    compiled.set(source, cached)
  }
  return cached === 'wrong' ? undefined : cached
}

function expressionOf(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

const maxTextLength = 10_000

/** In time proportional to the text. Undefined for lookaheads, back-references and other features that RE2 lacks. */
function linear(expression: RegExp): Pattern | undefined {
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(expression), RE2JS.LOOKBEHINDS)
    return { test: text => text.length <= maxTextLength && pattern.test(text) }
  } catch {
    return undefined
  }
}

let sandbox: { inside: { isMatch?: boolean }; script: Script } | undefined

/** With a timeout: some expressions backtrack for years on some texts and would block the event loop. */
function backtracking(expression: RegExp): Pattern {
  return {
    test: text => (text.length > maxTextLength ? false : withBudget(budget => runWithin(budget, expression, text))),
  }
}

/** While the thread waits for a core on a busy machine, the timeout passes and the budget does not: then it runs again. */
function runWithin(budget: CpuBudget, expression: RegExp, text: string): boolean | undefined {
  sandbox ??= { inside: createContext({}), script: new Script('isMatch = expression.test(text)') }
  Object.assign(sandbox.inside, { expression, text })
  while (budget.patternMs >= 1) {
    const before = process.threadCpuUsage()
    try {
      sandbox.script.runInContext(sandbox.inside, { timeout: Math.floor(budget.patternMs) })
      return sandbox.inside.isMatch
    } catch {
      // the timeout
    } finally {
      const { user, system } = process.threadCpuUsage(before)
      budget.patternMs -= (user + system) / 1000
    }
  }
  return budget.isLenient ? true : undefined
}
