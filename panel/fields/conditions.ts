import { type FieldDefinition, type Values, primitiveText } from './field.ts'

/** Whether a field is shown: all conditions in `when` match the values of the other fields. */
export function isFieldShown({ when }: FieldDefinition, values: Values): boolean {
  return Object.entries(when ?? {}).every(([name, expected]) => {
    const value = values[name.toLowerCase()]
    if (Array.isArray(value)) return value.includes(expected)
    return value === expected || primitiveText(value) === primitiveText(expected)
  })
}
