import type { BlueprintParts } from '../blueprints/read.ts'
import type { Rules } from '../content/with-rules.ts'
import type { Api } from '../http/endpoint.ts'
import type { Cron } from '../platform/lib/cron.ts'
import type { OwnError } from '../platform/errors.ts'
import type { DocumentCollection } from './collections.ts'
import type { Handler, ScheduledJob } from './handlers.ts'

export interface LoadedJob extends ScheduledJob {
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
  readonly collections: readonly DocumentCollection[]
  /** What runs after changes. */
  readonly handlers: readonly Handler[]
  /** What runs at certain times, or when it is started by hand. */
  readonly jobs: readonly LoadedJob[]
  /** By the keys that its code uses. */
  readonly errors: ReadonlyMap<string, OwnError>
}

/** A custom element that the panel shows. */
export interface PanelPart {
  readonly extension: string
  readonly kind: 'field' | 'block' | 'screen'
  /** The field type, the block type, or the last segment of the URL of the screen. */
  readonly name: string
  /** The path of its module below `/panel/extensions/`. */
  readonly path: string
  readonly label?: string | Readonly<Record<string, string>>
  readonly icon?: string
  /** The permission or access level that the screen needs. */
  readonly access?: string
}

/** What the panel loads of the extensions. */
export interface PanelParts {
  readonly list: readonly PanelPart[]
  /** The JavaScript of a module by its path below `/panel/extensions/`; undefined if no part imports it. */
  file(path: string): string | undefined
}

/** The extensions of a site: what `App` has of them. */
export interface Extensions {
  /** In the order of `quoin.config.ts`. */
  readonly list: readonly LoadedExtension[]
  /** The endpoints below `/api/extensions`, by the name of the extension; undefined if there are none. */
  readonly endpoints: Api | undefined
  /** What they check before operations; undefined if there is nothing to check. */
  readonly rules: Rules | undefined
  /** Field types, permissions and blueprints, with what is built in. */
  readonly blueprintParts: BlueprintParts
  /** Undefined if no extension has a part of the panel. */
  readonly panel: PanelParts | undefined
}
