import type { BlueprintParts } from '../blueprints/read.ts'
import type { Rules } from '../content/with-rules.ts'
import type { Api } from '../http/endpoint.ts'
import type { Cron } from '../platform/lib/cron.ts'
import type { OwnError } from '../platform/errors.ts'
import type { Documents } from './collections.ts'
import type { Handler, Job } from './handlers.ts'

export interface LoadedJob extends Job {
  /** Undefined for a job that is only started by hand. */
  readonly cron: Cron | undefined
}

/** An extension as it runs, for error messages and lists. */
export interface LoadedExtension {
  readonly name: string
  /** The file that calls `defineExtension`. */
  readonly file: string
  /** What each of its permissions allows, in one sentence, by the name of the action. */
  readonly permissions: Readonly<Record<string, string>>
  /** The collections of documents that it keeps. */
  readonly store: readonly Documents[]
  /** What runs after changes, and what runs at certain times. */
  readonly handlers: readonly Handler[]
  readonly jobs: readonly LoadedJob[]
  /** By the keys that its code uses. */
  readonly errors: ReadonlyMap<string, OwnError>
}

/** The extensions of a site: what `App` has of them. */
export interface Extensions {
  /** In the order of `quoin.config.ts`. */
  readonly list: readonly LoadedExtension[]
  /** The endpoints below `/api/extensions`, by the name of the extension; undefined if there are none. */
  readonly tree: Api | undefined
  /** What they check before operations; undefined if there is nothing to check. */
  readonly rules: Rules | undefined
  /** Field types, permissions and blueprints, with what is built in. */
  readonly parts: BlueprintParts
}
