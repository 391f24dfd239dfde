/** What `refuse` throws. The endpoint that catches it knows which extension has declared the error. */
export class ExtensionRefusal extends Error {
  readonly key: string
  readonly data: Readonly<Record<string, string>>

  constructor(key: string, data: Readonly<Record<string, string>>) {
    super(`refuse('${key}')`)
    this.name = 'Refusal'
    this.key = key
    this.data = data
  }
}

/** Ends the request with an error that the extension declares in `errors`; `data` fills the placeholders of its text. */
export function refuse(key: string, data: Readonly<Record<string, string>> = {}): never {
  throw new ExtensionRefusal(key, data)
}
