/** An extension whose rules do what a test says. */
import { ruleNames } from '../src/extensions/rule-names.ts'
import { defineExtension, documents, refuse, rule, type RuleContext, type RuleName, z } from '../src/index.ts'

export const notes = documents('notes', { value: z.strictObject({ text: z.string() }) })

type Check = (context: RuleContext<RuleName, Record<string, unknown>>) => unknown

/**
 * Rules for all operations, each of which calls the check that was set for its operation. The time limit in ms is long by
 * default: a busy machine must not decide a test.
 */
export function createRuleExtension(
  name: Lowercase<string> = 'gate',
  options: { timeout: number; templates?: string[] } = { timeout: 10_000 },
) {
  const checks = new Map<RuleName, Check>()
  let bypassesRules = false
  const calls: RuleContext<RuleName, Record<string, unknown>>[] = []
  const multiOperationCalls: RuleName[] = []
  const extension = defineExtension({
    name,
    store: [notes],
    errors: { closed: [409, 'The gate is closed.'], wrong: [422, 'Not "{value}".'] },
    texts: { de: { wrong: 'Nicht „{value}“.' } },
    rules: [
      rule(
        ['pages.update', 'pages.publish'],
        ({ operation }) => void (bypassesRules || multiOperationCalls.push(operation)),
        options,
      ),
      ...ruleNames.map(operation =>
        rule(
          operation,
          // oxlint-disable-next-line typescript/no-explicit-any -- the test says what it takes and returns
          (context: any): any => {
            if (bypassesRules) return undefined
            calls.push(context)
            return checks.get(operation)?.(context)
          },
          options,
        ),
      ),
    ],
  })
  return {
    extension,
    /** What the rules were called with, in order. */
    calls,
    /** The operations for which the rule for several operations was called. */
    multiOperationCalls,
    /** Sets what the rule of an operation does. */
    on: (operation: RuleName, check: Check) => void checks.set(operation, check),
    refuse: (...names: readonly RuleName[]) => {
      for (const one of names) checks.set(one, () => refuse('closed'))
    },
    /** Runs `work` while all rules allow everything and record nothing. */
    async withoutRules<Value>(work: () => Promise<Value>): Promise<Value> {
      bypassesRules = true
      try {
        return await work()
      } finally {
        bypassesRules = false
      }
    },
    reset: () => {
      checks.clear()
      calls.length = 0
      multiOperationCalls.length = 0
    },
  }
}
