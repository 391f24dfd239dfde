import { QuoinError } from '../../client/client.ts'
import { hasKey } from '../app/errors.ts'
import type { FieldError, FieldErrors } from '../fields/field-errors.ts'

/** Another window or user has saved the draft since it was last read here. */
export const isStaleDraft = (error: unknown) =>
  error instanceof QuoinError && hasKey(error, 'content.changed') && 'draftRevision' in error.details

/** Where the server has saved the last words of a user whose draft was taken over; undefined if it has not. */
export const savedAfterTakeOver = (error: unknown) =>
  error instanceof QuoinError && hasKey(error, 'content.lock')
    ? (error.details as { saved?: 'draft' | 'history' }).saved
    : undefined

/** The errors of fields in an error response. */
export const fieldErrorsIn = ({ details }: QuoinError): FieldErrors =>
  Object.fromEntries(Object.entries(details).filter(isFieldError))

function isFieldError(entry: [name: string, detail: unknown]): entry is [string, FieldError] {
  const [, detail] = entry
  return typeof detail === 'object' && detail !== null && 'message' in detail
}
