import { QuoinError } from '../../client/client.ts'
import { t } from '../texts/texts.ts'

/** An error of the panel itself, with a message for the user. */
export class ShownError extends Error {}

/** The message of an error. The server sends it in the language of the user. */
export function errorText(error: unknown): string {
  if (error instanceof QuoinError || error instanceof ShownError) return error.message
  return error instanceof TypeError ? t('error.network') : t('error.unknown')
}

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
