import type { ApiError, ErrorKey } from '../platform/errors.ts'
import { Message } from '../platform/texts.ts'
import { inLanguage, type Translator } from '../platform/translations/translations.ts'

const { STATUS_CODES } = process.getBuiltinModule('node:http') // an import also loads an HTTP client

/** An error response: Kirby's error format, or problem details (RFC 9457) if the client accepts `application/problem+json`. */
export interface Failure {
  status: number
  headers: Record<string, string>
  body: string
}

const inEnglish = new WeakMap<ApiError, Failure>()
const inOthers = new Map<string, WeakMap<ApiError, Failure>>()

/** Caches envelopes by error and language: some errors are created once and sent often. English without a translator. */
export function failure(error: ApiError, accept: string | undefined, translator?: Translator): Failure {
  if (accept?.includes('application/problem+json') === true) return write(error, true, translator)
  const envelopes = translator === undefined ? inEnglish : envelopesOf(translator.language)
  let envelope = envelopes.get(error)
  if (!envelope) {
    envelope = write(error, false, translator)
    envelopes.set(error, envelope)
  }
  return envelope
}

function envelopesOf(language: string): WeakMap<ApiError, Failure> {
  const envelopes = inOthers.get(language) ?? new WeakMap<ApiError, Failure>()
  inOthers.set(language, envelopes)
  return envelopes
}

/** Existing clients expect the general key for these; only the message is specific. */
const withGeneralKey: ReadonlySet<string> = new Set<ErrorKey>([
  'file.create.permission',
  'file.replace.permission',
  'file.update.permission',
  'file.delete.permission',
])

/** The key of an error, and its text in the language of the translator, or in English. */
export function sayError(error: ApiError, translator: Translator | undefined): { key: string; message: string } {
  return {
    key: withGeneralKey.has(error.key) ? 'error.permission' : `error.${error.key}`,
    message: translator
      ? translated(translator, new Message(`error.${error.key}`, error.data, error.own?.texts))
      : error.message,
  }
}

function write(error: ApiError, asProblem: boolean, translator: Translator | undefined): Failure {
  const { status, details } = error
  const { key, message } = sayError(error, translator)
  const body = asProblem
    ? { type: `urn:quoin:${key}`, title: STATUS_CODES[status], status, detail: message, key, details, ...error.problem }
    : { status: 'error', message, code: status, key, details }
  return {
    status,
    headers: {
      'content-type': `application/${asProblem ? 'problem+json' : 'json'}; charset=utf-8`,
      ...(translator && { 'content-language': translator.language }),
      ...(status === 503 && { 'retry-after': '2' }),
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="quoin"' }),
      ...error.headers,
    },
    body: JSON.stringify(body, translator && inLanguageOf(translator)),
  }
}

const translated = ({ language, translate }: Translator, message: Message): string =>
  message.own ? inLanguage(message, language) : translate(message.key, message.data)

/** Translates messages at any depth of the details. */
function inLanguageOf(translator: Translator) {
  return function (this: Record<string, unknown>, name: string, shown: unknown): unknown {
    const value = this[name] // the original value: `shown` is already the result of `toJSON`, in English
    return value instanceof Message ? translated(translator, value) : shown
  }
}
