import { createContext, Script } from 'node:vm'
import { createMemo } from '../../lib/memo.ts'

const compiled = createMemo<RegExp | 'wrong'>(200)

/** The regular expression of a blueprint: letters in any case, anywhere in the text unless it says `^` and `$`. */
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
const patience = 50

interface Question {
  pattern: RegExp
  text: string
}

let room: { question: Question; script: Script } | undefined

/**
 * Whether the text fits. Some expressions take years for some texts, and the server can do nothing else meanwhile: it
 * runs where it can be stopped, and what takes too long, or is too long, does not fit.
 */
export function fits(pattern: RegExp, text: string): boolean {
  if (text.length > longest) return false
  room ??= {
    question: createContext({ pattern, text }) as Question,
    script: new Script('pattern.test(text)'),
  }
  const { question, script } = room
  Object.assign(question, { pattern, text })
  try {
    return script.runInContext(question, { timeout: patience }) as boolean
  } catch {
    return false
  }
}
