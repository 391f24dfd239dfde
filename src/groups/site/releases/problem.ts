import type { ApiError } from '../../../platform/errors.ts'
import { Message } from '../../../platform/texts.ts'
import { inLanguage } from '../../../platform/translations/translations.ts'

interface Problem {
  key: string
  data: Record<string, string>
  /** The texts of an error that an extension declares. */
  texts?: Record<string, string>
}

/** An error as it is stored: it is shown to others later, in their languages. */
export const encodeProblem = ({ key, data, own }: ApiError): string =>
  JSON.stringify({ key, data, ...(own && { texts: own.texts }) })

export function showProblem(text: string, locale: string): { key: string; message: string } {
  const { key, data, texts } = JSON.parse(text) as Problem
  return { key: `error.${key}`, message: inLanguage(new Message(`error.${key}`, data, texts), locale) }
}
