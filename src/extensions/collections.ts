import type { z } from 'zod'

/** A collection of JSON documents that the extension keeps. */
export interface DocumentCollection<Value = unknown, Field extends string = string> {
  readonly name: string
  readonly value: z.ZodType<Value>
  readonly index: readonly Field[]
  /** A change for `cms.write` and `cms.with`, which write several in one transaction. The version is that of `store`. */
  put(key: string, value: Value, options?: { version?: number | undefined }): DocumentChange
  delete(key: string, options?: { version?: number | undefined }): DocumentChange
}

/** A document to write or, without a value, to delete. */
export interface DocumentChange {
  readonly documents: DocumentCollection
  readonly key: string
  readonly value?: unknown
  readonly version: number | undefined
}

export interface Document<Value> {
  key: string
  value: Value
  /** 1 when it is created, raised with every change. */
  version: number
  created: Date
  modified: Date
}

export interface DocumentStore<Value, Field extends string> {
  get(key: string): Promise<Document<Value> | undefined>
  /** In the order of the keys. `next` is the `after` of the next page; undefined at the end. */
  list(options?: {
    where?: { [Name in Field]?: string | undefined } | undefined
    prefix?: string | undefined
    after?: string | undefined
    limit?: number | undefined
  }): Promise<{ data: Document<Value>[]; next: string | undefined }>
  /** All of them, in the order of the keys: `for await (const { key, value } of cms.store(subscribers).all())`. */
  all(where?: { [Name in Field]?: string | undefined }): AsyncGenerator<Document<Value>, void, undefined>
  count(where?: { [Name in Field]?: string | undefined }): Promise<number>
  /** With `version`, only if it still has this one, or else `error.document.changed`; 0 if it must be new. */
  put(key: string, value: Value, options?: { version?: number | undefined }): Promise<Document<Value>>
  /** Whether there was one. */
  delete(key: string, options?: { version?: number | undefined }): Promise<boolean>
}

type AtMostThree<Field> = readonly [] | readonly [Field] | readonly [Field, Field] | readonly [Field, Field, Field]

/** Declares a collection. `list` and `count` can filter by the properties of `index`. */
export function documents<
  Schema extends z.ZodType,
  const Index extends AtMostThree<keyof z.output<Schema> & string> = readonly [],
>(name: string, options: { value: Schema; index?: Index }): DocumentCollection<z.output<Schema>, Index[number]> {
  type Value = z.output<Schema>
  // Plain JavaScript may pass none; that the schema is missing is reported with the name of the extension.
  const { value: schema, index = [], ...unknown } = options ?? {}
  const declared: DocumentCollection<Value, Index[number]> = {
    ...unknown,
    name,
    value: schema as z.ZodType<Value>,
    index,
    put: (key, value, { version } = {}) => ({ documents: declared, key, value, version }),
    delete: (key, { version } = {}) => ({ documents: declared, key, version }),
  }
  return declared
}
