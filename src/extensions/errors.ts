import { QuoinError } from '../../client/client.ts'
import type { App } from '../app.ts'
import { ApiError, fail } from '../platform/errors.ts'
import { ExtensionRefusal } from './refuse.ts'
import type { LoadedExtension } from './loaded-extension.ts'

/** The error that the client gets: what was refused as it is, everything else as a failure of the extension. */
export function errorOf({ log, store }: App, { name, errors }: LoadedExtension, part: string, error: unknown): unknown {
  if (error instanceof ApiError || store.isOutage(error) || store.isFull(error)) return error
  if (error instanceof QuoinError && error.status < 500) return sameAs(error)
  const declared = error instanceof ExtensionRefusal ? errors.get(error.key) : undefined
  if (error instanceof ExtensionRefusal && declared) return new ApiError(declared, error.data)
  const reason =
    error instanceof ExtensionRefusal ? new Error(`"${error.key}" is not among the errors of the extension`) : error
  log.error({ err: reason, extension: name, part }, 'an extension has failed')
  return fail('extension.failed', { name, part })
}

/** An error of `cms` that the code has not caught, as if the client had called that endpoint. */
function sameAs({ status, key, message, details }: QuoinError): ApiError {
  const name = (key ?? 'error.general').slice('error.'.length)
  return new ApiError({ key: name as `${string}.${string}`, status, texts: { en: message, '*': message } }).with({
    details,
  })
}
