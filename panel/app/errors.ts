import { QuoinError } from '../../client/client.ts'
import { t } from '../texts/texts.ts'

/** An error of the panel itself, with a message for the user. */
export class ShownError extends Error {}

/** A request without an answer. Whether the server has made the change is not known. */
export class ConnectionError extends Error {}

/** Throws the error of `fetch` as an error of the connection, unless the request was cancelled. */
export function throwConnectionError(error: unknown): never {
  throw error instanceof TypeError ? new ConnectionError(error.message, { cause: error }) : error
}

/** The message of an error. The server sends it in the language of the user. */
export function errorText(error: unknown): string {
  if (error instanceof QuoinError || error instanceof ShownError) return error.message
  return error instanceof ConnectionError || isFailedImport(error) ? t('error.network') : t('error.unknown')
}

/** A part of the panel could not be loaded. Browsers tell it by the message only. */
const isFailedImport = (error: unknown) => error instanceof TypeError && /import(?:ed|ing)/i.test(error.message)

export const hasKey = (error: unknown, ...keys: string[]): error is QuoinError =>
  error instanceof QuoinError && keys.some(key => error.key === `error.${key}`)

/** Error messages by field: `{ email: 'This is not an e-mail address.' }`. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof QuoinError)) return {}
  return Object.fromEntries(
    Object.entries(error.details).flatMap(([name, detail]) => {
      const text = Object.values((detail as { message?: Record<string, string> } | null)?.message ?? {})[0]
      return typeof text === 'string' ? [[name, text]] : []
    }),
  )
}

/** Error messages of fields, prefixed with the labels of the fields. */
export function labelledErrors(error: unknown): string[] {
  const details = (error as { details?: Record<string, { label?: string }> }).details ?? {}
  return Object.entries(fieldErrors(error)).map(([name, text]) => {
    const label = details[name]?.label
    return label ? `${label}: ${text}` : text
  })
}
