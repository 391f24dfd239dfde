/**
 * The revision in an `ETag`. The answer to a read has a hash of its body after it (`"7.…"`), the answer to a change has not
 * (`"7"`).
 */
export const revisionIn = (headers: Readonly<Record<string, unknown>>): number =>
  Number(/^"(\d+)(?:\.[\w-]{22})?"$/.exec(String(headers['etag']))?.[1])
