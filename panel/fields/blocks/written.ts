import { textOfHtml } from '../html.tsx'
import type { Fieldset } from './block-value.ts'

const written: Readonly<Record<string, readonly string[]>> = {
  heading: ['text'],
  text: ['text'],
  list: ['text'],
  quote: ['text', 'citation'],
}

/** Names of the fields that are edited inline, in order. */
export function writtenIn(set: Fieldset | undefined): string[] {
  const names = set && written[set.preview ?? '']
  return names?.filter(name => name in set!.fields) ?? []
}

/** The level of a heading has a default, so it does not count as input. */
export const isFilled = (value: unknown): boolean =>
  typeof value === 'string' && !/^h\d$/.test(value) && textOfHtml(value) !== ''
