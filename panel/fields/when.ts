import { type FieldDefinition, type Values, wordIn } from './field.ts'

/** Whether a field is asked for: its conditions hold, by what the other fields have. */
export function isAsked({ when }: FieldDefinition, values: Values): boolean {
  return Object.entries(when ?? {}).every(([name, wanted]) => {
    const value = values[name.toLowerCase()]
    if (Array.isArray(value)) return value.includes(wanted)
    return value === wanted || wordIn(value) === wordIn(wanted)
  })
}
