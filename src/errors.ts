import { fill, type Placeholders } from './texts.ts'

/** Every error the API can answer with: its key, its HTTP status and its English text. */
export const errors = {
  // who is calling
  auth: [401, 'Please sign in.'],
  'access.login': [401, 'The e-mail address or the password is not right.'],
  'access.code': [401, 'The code is not right or no longer valid.'],
  'auth.throttled': [429, 'Too many attempts. Please try again in {seconds} seconds.'],
  'auth.method': [400, 'This way of signing in is not offered here.'],
  'auth.notSession': [400, 'This request is made with an API token; only a session can sign in or out.'],
  'auth.origin': [403, 'The request comes from another site and was refused.'],
  'auth.csrf': [403, 'The request lacks the token of its session. Reload the page and try again.'],
  'auth.https': [403, 'This server is only reached over HTTPS.'],
  'auth.repair': [403, 'Before anything else, please set a new password.'],
  'auth.fresh': [401, 'This changes how an account signs in. Please confirm your password first.'],
  permission: [403, 'You are not allowed to do this.'],

  // the request itself
  validation: [400, 'Something in the request is missing or not right.'],
  'request.malformed': [400, 'The request cannot be read: {problem}'],
  'request.timeout': [408, 'The request took too long to arrive.'],
  'request.tooLarge': [413, 'The request is larger than {limit} bytes.'],
  'request.mediaType': [415, 'The body must be sent as application/json, without compression.'],
  'request.host': [421, 'This server does not answer for this host name.'],
  'request.headersTooLarge': [431, 'The headers of the request are too large or too many.'],
  notFound: [404, 'There is nothing at this address.'],
  methodNotAllowed: [405, 'This address does not take {method} requests.'],

  // accounts
  'user.notFound': [404, 'There is no account "{name}".'],
  'user.duplicate': [400, 'There is already an account with the address "{email}".'],
  'user.email.invalid': [400, 'This is not an e-mail address.'],
  'user.password.invalid': [400, 'The password needs at least {min} characters.'],
  'user.password.excessive': [400, 'The password is longer than {max} characters.'],
  'user.role.invalid': [400, 'There is no role "{role}".'],
  'user.delete.lastAdmin': [400, 'The last administrator cannot be deleted.'],
  'user.disable.lastAdmin': [400, 'The last administrator cannot be disabled.'],

  // the server
  busy: [503, 'The server is busy. Please try again in a moment.'],
  unavailable: [503, 'The server cannot reach its data at the moment. Please try again soon.'],
  general: [500, 'Something went wrong on our side.'],
} as const satisfies Record<string, readonly [status: number, text: string]>

export type ErrorKey = keyof typeof errors

type Data<Key extends ErrorKey> = Record<Placeholders<(typeof errors)[Key][1]>, string>

/** What is wrong, by the name of the field: `{ password: { label, message: { required: '…' } } }`. */
export type Details = Record<string, unknown>

export class ApiError extends Error {
  readonly key: ErrorKey
  readonly status: number
  /** What the placeholders of the text stand for, in any language. */
  readonly data: Readonly<Record<string, string>>
  readonly details: Details = {}
  readonly headers: Record<string, string> = {}
  /** Members that only the RFC 9457 form has. */
  readonly problem: Record<string, unknown> = {}

  constructor(key: ErrorKey, data: Record<string, string> = {}) {
    const [status, text] = errors[key]
    // An answer like any other, not a fault of the program: nobody reads its stack, and taking one is slow.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(fill(text, data))
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ApiError'
    this.key = key
    this.status = status
    this.data = data
  }

  with(extra: { details?: Details; headers?: Record<string, string>; problem?: Record<string, unknown> }): this {
    return Object.assign(this, extra)
  }
}

/** `throw fail('user.notFound', { name })`: the placeholders of the text are checked by the compiler. */
export function fail<Key extends ErrorKey>(
  key: Key,
  ...[data]: [Placeholders<(typeof errors)[Key][1]>] extends [never] ? [] : [Data<Key>]
): ApiError {
  return new ApiError(key, data)
}
