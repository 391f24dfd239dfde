import type { z } from 'zod'

/** Describes an invalid setting, under the name by which it was given. */
export function explainIssue(issue: z.core.$ZodIssue, names: Map<string, string>): string[] {
  const path = issue.path.filter(key => typeof key === 'string').join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => `${path ? `${path}.` : ''}${key}: there is no such setting`)
  }
  return [`${names.get(path) ?? path}: ${wording(issue)}`]
}

function wording(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${{ boolean: 'true or false', int: 'a whole number', number: 'a whole number', array: 'a list', object: 'a group of settings' }[issue.expected as string] ?? 'a text'}`
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    default:
      return issue.message
  }
}
