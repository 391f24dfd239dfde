import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyEndpoint } from '../endpoint.ts'

/** Errors that any operation may answer with: about the request, the caller and the server. */
export const commonErrors: readonly string[] = [
  'auth', 'access.login', 'access.panel', 'auth.csrf', 'auth.https', 'auth.needsSession', 'auth.notSession',
  'auth.origin', 'auth.repair', 'auth.throttled', 'permission', 'validation', 'language.unknown', 'request.malformed',
  'request.timeout', 'request.tooLarge', 'request.mediaType', 'request.host', 'request.headersTooLarge',
  'request.throttled', 'busy', 'unavailable', 'general',
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

/** All keys that an operation may answer with, without `error.` */
export function errorKeysOf(name: string, { fresh }: Pick<AnyEndpoint, 'fresh'>): string[] {
  return [...ownErrors(name), ...(fresh === undefined ? [] : ['auth.fresh']), ...commonErrors]
}
