/** An extension whose rules do what a test says. */
import { ruleNames } from '../src/extensions/rule-names.ts'
import { defineExtension, documents, refuse, rule, type RuleContext, type RuleName, z } from '../src/index.ts'

export const notes = documents('notes', { value: z.strictObject({ text: z.string() }) })

type Check = (context: RuleContext<RuleName, Record<string, unknown>>) => unknown

/**
 * Rules for all operations, each of which calls the check that was set for its operation. The time limit in ms is long by
 * default: a busy machine must not decide a test.
 */
export function createGate(name: Lowercase<string> = 'gate', timeout = 10_000) {
  const checks = new Map<RuleName, Check>()
  let isOpen = false
  const calls: RuleContext<RuleName, Record<string, unknown>>[] = []
  const ofSeveral: RuleName[] = []
  const extension = defineExtension({
    name,
    store: [notes],
    errors: { closed: [409, 'The gate is closed.'], wrong: [422, 'Not "{value}".'] },
    texts: { de: { wrong: 'Nicht „{value}“.' } },
    rules: [
      rule(['pages.update', 'pages.publish'], ({ operation }) => void (isOpen || ofSeveral.push(operation))),
      ...ruleNames.map(operation =>
        rule(
          operation,
          // oxlint-disable-next-line typescript/no-explicit-any -- the test says what it takes and returns
          (context: any): any => {
            if (isOpen) return undefined
            calls.push(context)
            return checks.get(operation)?.(context)
          },
          { timeout },
        ),
      ),
    ],
  })
  return {
    extension,
    /** What the rules were called with, in order. */
    calls,
    /** The operations for which the rule for several operations was called. */
    ofSeveral,
    /** Sets what the rule of an operation does. */
    on: (operation: RuleName, check: Check) => void checks.set(operation, check),
    close: (...names: readonly RuleName[]) => {
      for (const one of names) checks.set(one, () => refuse('closed'))
    },
    /** Does something that the rules do not see. */
    async around<Value>(work: () => Promise<Value>): Promise<Value> {
      isOpen = true
      try {
        return await work()
      } finally {
        isOpen = false
      }
    },
    reset: () => {
      checks.clear()
      calls.length = 0
      ofSeveral.length = 0
    },
  }
}
