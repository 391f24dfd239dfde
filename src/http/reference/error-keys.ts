import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errors } from '../../platform/errors.ts'
import type { AnyEndpoint } from '../endpoint.ts'

/** Errors that any operation may answer with: about the request, the caller and the server. */
export const commonErrors: readonly string[] = [
  'auth', 'access.login', 'access.panel', 'auth.csrf', 'auth.https', 'auth.needsSession', 'auth.needsToken', 'auth.notSession',
  'auth.forcedSetup', 'auth.origin', 'auth.throttled', 'permission', 'notFound', 'validation', 'language.unknown', 'request.malformed',
  'request.timeout', 'request.tooLarge', 'request.mediaType', 'request.host', 'request.headersTooLarge',
  'request.throttled', 'busy', 'unavailable', 'storage.full', 'general', 'extension.failed',
] // prettier-ignore

let recorded: Record<string, string[]> | undefined

/** The errors of one operation besides the common ones, as the tests have seen them: written by `npm run record`. */
export function ownErrors(name: string): readonly string[] {
  recorded ??= JSON.parse(readFileSync(join(import.meta.dirname, 'error-keys.json'), 'utf8')) as Record<
    string,
    string[]
  >
  return recorded[name] ?? []
}

/** The error of a caller without the declared permission: `pages.update` → `page.update.permission`. */
export function permissionError({ access }: Pick<AnyEndpoint, 'access'>): string | undefined {
  const key = access.replace(/^(\w+?)s?\.(\w+)$/, '$1.$2.permission')
  return key in errors ? key : undefined
}

/** All keys that an operation may answer with, without `error.` */
export function errorKeysOf(name: string, endpoint: Pick<AnyEndpoint, 'access' | 'fresh'>): string[] {
  const denied = permissionError(endpoint)
  return [
    ...ownErrors(name),
    ...(denied === undefined ? [] : [denied]),
    ...(endpoint.fresh === undefined ? [] : ['auth.fresh']),
    ...commonErrors,
  ]
}
