/**
 * Every text that people read and that is no error, in English, by its key. `errors.ts` has the errors (their keys begin
 * with `error.` here); the other languages are in `translations/`.
 */
export const texts = {
  // what a value must be
  'validation.required': 'Please fill this in.',
  'validation.unknown': 'There is no such field.',
  'validation.type': 'This must be {kind}.',
} as const satisfies Record<string, string>

export type TextKey = keyof typeof texts

export type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** A text that has not been said yet: it is put into the reader's language when it is sent. In JSON it is English. */
export class Message {
  readonly key: string
  readonly data: Readonly<Record<string, string>>

  constructor(key: string, data: Record<string, string> = {}) {
    this.key = key
    this.data = data
  }
  toJSON(): string {
    return fill((texts as Record<string, string>)[this.key] ?? this.key, this.data)
  }
}

/** `message('validation.min', { min: '3' })`: the placeholders are checked by the compiler. */
export function message<Key extends TextKey>(
  key: Key,
  ...[data]: [Placeholders<(typeof texts)[Key]>] extends [never]
    ? []
    : [Record<Placeholders<(typeof texts)[Key]>, string>]
): Message {
  return new Message(key, data)
}

export function fill(text: string, data: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => data[name] ?? '')
}
