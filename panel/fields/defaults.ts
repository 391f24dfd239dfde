import type { FieldDefinitions, Values } from './field.ts'

/** Default values of new rows, blocks and objects. */
export function defaultValuesOf(fields: FieldDefinitions): Values {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { default: given, value, saveable }]) => {
      if (saveable === false) return []
      const begin = given === undefined || given === null || given === '' ? value : given
      return begin === undefined || begin === null ? [] : [[name, begin]]
    }),
  )
}
