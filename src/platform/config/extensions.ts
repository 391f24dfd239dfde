/** Marks what `defineExtension` returns. */
export const extensionMark = Symbol.for('quoin.extension')

/** An extension, as far as the settings know it. */
export interface ConfiguredExtension {
  readonly [extensionMark]: true
  readonly name: string
  /** The file that defines it. */
  readonly file: string
}

export const isExtension = (value: unknown): value is ConfiguredExtension =>
  typeof value === 'object' && value !== null && extensionMark in value

/** What is wrong with an entry of the list, or undefined. */
export function describeEntry(value: unknown): string {
  if (typeof value === 'function') return `call it: ${value.name || 'extension'}()`
  if (value instanceof Promise) return 'must be an extension, not a promise of one'
  return 'must be what defineExtension returns'
}
