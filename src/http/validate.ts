import type { z } from 'zod'
import { type ApiError, type Details, fail } from '../errors.ts'
import type { AnyEndpoint } from './endpoint.ts'

/** The checked value, or an error that says for each field what is wrong with it, and never what was sent. */
export function validate(endpoint: AnyEndpoint, schema: z.ZodType, value: unknown): unknown {
  const checked = schema.safeParse(value, { reportInput: false })
  if (checked.success) return checked.data
  throw endpoint.invalid?.(checked.error.issues) ?? invalid(checked.error.issues)
}

function invalid(issues: z.core.$ZodIssue[]): ApiError {
  const details: Details = {}
  for (const issue of issues) {
    const path = issue.path.map(String)
    const [rule, text] = wording(issue)
    const names =
      issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 10).map(key => [...path, key.slice(0, 100)]) : [path]
    for (const name of names) {
      const label = name.at(-1) ?? 'body'
      const field = name.join('.') || 'body'
      if (Object.hasOwn(details, field)) continue // the first problem is the cause of the others
      Object.defineProperty(details, field, {
        value: { label, message: { [rule]: text } },
        enumerable: true,
        configurable: true,
      })
    }
  }
  return fail('validation').with({ details })
}

function wording(issue: z.core.$ZodIssue): [rule: string, text: string] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return ['unknown', 'There is no such field.']
    case 'invalid_type':
      return ['type', `This must be ${kinds[issue.expected as string] ?? issue.expected}.`]
    case 'too_small':
      return issue.origin === 'string'
        ? [
            'minlength',
            issue.minimum === 1 ? 'This must not be empty.' : `This needs at least ${issue.minimum} characters.`,
          ]
        : ['min', `This must be at least ${issue.minimum}.`]
    case 'too_big':
      return issue.origin === 'string'
        ? ['maxlength', `This may have at most ${issue.maximum} characters.`]
        : ['max', `This must be at most ${issue.maximum}.`]
    case 'invalid_value':
      return ['options', `This must be one of: ${issue.values.join(', ')}.`]
    case 'custom':
      return [String(issue.params?.['rule'] ?? 'invalid'), issue.message]
    default:
      return ['invalid', 'This is not valid.']
  }
}

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}
