/** The revision in the `ETag` of a read (`"7.…"`) or of a change (`"7"`). */
export const revisionIn = (headers: Readonly<Record<string, unknown>>): number =>
  Number(/^"(\d+)(?:\.[\w-]{22})?"$/.exec(String(headers['etag']))?.[1])
