import type { FieldDefinitions, Values } from './field.ts'

/** Default values of new rows, blocks and objects. */
export function defaultValuesOf(fields: FieldDefinitions): Values {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { default: defaultValue, value, saveable }]) => {
      if (saveable === false) return []
      const initialValue =
        defaultValue === undefined || defaultValue === null || defaultValue === '' ? value : defaultValue
      return initialValue === undefined || initialValue === null ? [] : [[name, initialValue]]
    }),
  )
}
